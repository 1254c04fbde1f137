-- Counts the active bans of a policy in one shard.
--
-- KEYS
--   1      zset of bans, `level:subject:masked#violations` scored by the ban's end; expires by itself
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
-- Reply: the number of active bans
--
-- Atomic because it is one command; a script because it uses the clock of Redis.

--- @include "../lib/now.lua"

local bans_key, clock_ms = KEYS[1], now_ms(ARGV[1])

return redis.call('ZCOUNT', bans_key, string.format('(%.0f', clock_ms), '+inf')
