-- Counts the bans of a policy that stand, as far as they share a slot.
--
-- KEYS
--   1      zset of bans, `level:subject:masked#violations` scored by the ban's end; expires by itself
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
-- Reply: how many
--
-- Atomic because it is one reading; a script because only Redis knows its own clock.

--- @include "../lib/now.lua"

local bans_key, clock_ms = KEYS[1], now_ms(ARGV[1])

return redis.call('ZCOUNT', bans_key, string.format('(%.0f', clock_ms), '+inf')
