-- Charges a user counter and a global counter whose keys share no hash tag. The lab shows this as a mistake: a cluster
-- answers CROSSSLOT.
--
-- KEYS
--   1      string: calls of the user; expires after ttl_ms
--   2      string: calls of all users; expires after ttl_ms
-- ARGV
--   1      limit per user
--   2      global limit
--   3      ttl_ms
-- Reply (integers)
--   1      admitted: 1 or 0
--   2      calls of all users, including this one if admitted
--
-- Atomic because a call charges both counters or none.

local user_key, global_key = KEYS[1], KEYS[2]
local user_limit, global_limit, ttl_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local user_calls = tonumber(redis.call('GET', user_key) or 0)
local global_calls = tonumber(redis.call('GET', global_key) or 0)
if user_calls >= user_limit or global_calls >= global_limit then
  return { 0, global_calls }
end
redis.call('SET', user_key, user_calls + 1, 'PX', ttl_ms)
redis.call('SET', global_key, global_calls + 1, 'PX', ttl_ms)
return { 1, global_calls + 1 }
