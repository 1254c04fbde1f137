-- Bans a subject at a level that punishes. A ban of the subject that has not ended gets the new end.
--
-- KEYS
--   1      string: violations of the subject; expires by itself
--   2      zset of the policy's bans; expires by itself
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2      the subject's member in the zset, to which `#violations` is added
--   3      length of the ban in ms
--   4      lapse_ms of the level, by which violations expire
-- Reply: {violations, banned_until}
--
-- Atomic because a violation between the two writes would start another ban.

--- @include "../lib/now.lua"
--- @include "punishment.lua"

local violations_key, bans_key = KEYS[1], KEYS[2]
local clock_ms, member, ban_ms, lapse_ms = now_ms(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

local punishment = { key = violations_key, member = member, ban_ms = ban_ms, lapse_ms = lapse_ms }
read_punishment(punishment, clock_ms)
start_ban(punishment, clock_ms, bans_key)
return { punishment.violations, punishment.banned_until }
