-- Charges a sliding log on the caller's clock. The lab shows this as a mistake.
--
-- KEYS
--   1      zset of admitted hits, scored by the callers' clocks; expires after ttl_ms
-- ARGV
--   1      clock of the calling node, epoch ms
--   2      window in ms
--   3      limit
--   4      the hit's member
--   5      ttl_ms
-- Reply (integers)
--   1      admitted: 1 or 0
--   2      used: hits in the window, including this one if admitted
--   3      retry_after_ms: 0 if another hit fits
--
-- Atomic because the clock must be the only mistake.

local key = KEYS[1]
local clock_ms, window_ms, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local member, ttl_ms = ARGV[4], tonumber(ARGV[5])

redis.call('ZREMRANGEBYSCORE', key, '-inf', clock_ms - window_ms)
local used = redis.call('ZCARD', key)
local admitted = used < limit
if admitted then
  redis.call('ZADD', key, clock_ms, member)
  redis.call('PEXPIRE', key, ttl_ms)
  used = used + 1
end

local retry_after_ms = 0
if used >= limit then
  local blocking_hit = redis.call('ZRANGE', key, used - limit, used - limit, 'WITHSCORES')
  retry_after_ms = tonumber(blocking_hit[2]) + window_ms - clock_ms
end
return { admitted and 1 or 0, used, retry_after_ms }
