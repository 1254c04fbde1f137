-- Ends a ban and deletes the violations that led to it.
--
-- KEYS
--   1      string: violations of the subject; expires by itself
--   2      zset of the policy's bans; expires by itself
-- ARGV
--   1      the ban's member in the zset
--   2      the end of the ban in epoch ms, because a later ban has the same member
-- Reply: 1 lifted, 0 no such ban
--
-- Atomic because violations that remained after the lift would ban again at the next refusal.

local violations_key, bans_key = KEYS[1], KEYS[2]
local member, banned_until = ARGV[1], tonumber(ARGV[2])

if tonumber(redis.call('ZSCORE', bans_key, member) or 0) ~= banned_until then
  return 0
end
redis.call('ZREM', bans_key, member)
redis.call('DEL', violations_key)
return 1
