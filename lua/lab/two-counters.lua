-- Counts a call for its user and for everybody, in keys that share no hash tag: how it must not be done, shown by the
-- lab. A cluster refuses it, as CROSSSLOT.
--
-- KEYS
--   1      string: calls of the user; lives lives_ms
--   2      string: calls of everybody; lives lives_ms
-- ARGV
--   1      limit of the user
--   2      limit of everybody
--   3      lives_ms
-- Reply (integers)
--   1      admitted: 1 or 0
--   2      calls of everybody, this one if it was admitted
--
-- Atomic because a call is charged for both or for none.

local user_key, global_key = KEYS[1], KEYS[2]
local user_limit, global_limit, lives_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local of_user = tonumber(redis.call('GET', user_key) or 0)
local of_all = tonumber(redis.call('GET', global_key) or 0)
if of_user >= user_limit or of_all >= global_limit then
  return { 0, of_all }
end
redis.call('SET', user_key, of_user + 1, 'PX', lives_ms)
redis.call('SET', global_key, of_all + 1, 'PX', lives_ms)
return { 1, of_all + 1 }
