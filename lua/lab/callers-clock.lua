-- A sliding log that believes whatever clock its caller brings: how it must not be done, shown by the lab.
--
-- KEYS
--   1      zset of admitted hits, scored by their callers' clocks; lives lives_ms
-- ARGV
--   1      clock of the calling node, epoch ms
--   2      window in ms
--   3      limit
--   4      the hit's member
--   5      lives_ms
-- Reply (integers)
--   1      admitted: 1 or 0
--   2      used: hits in the window, this one if it was admitted
--   3      retry_after_ms: 0 where one more fits
--
-- Atomic because a mistake is easier to see when it is the only one.

local key = KEYS[1]
local clock_ms, window_ms, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local member, lives_ms = ARGV[4], tonumber(ARGV[5])

redis.call('ZREMRANGEBYSCORE', key, '-inf', clock_ms - window_ms)
local used = redis.call('ZCARD', key)
local admitted = used < limit
if admitted then
  redis.call('ZADD', key, clock_ms, member)
  redis.call('PEXPIRE', key, lives_ms)
  used = used + 1
end

local retry_after_ms = 0
if used >= limit then
  local must_leave = redis.call('ZRANGE', key, used - limit, used - limit, 'WITHSCORES')
  retry_after_ms = tonumber(must_leave[2]) + window_ms - clock_ms
end
return { admitted and 1 or 0, used, retry_after_ms }
