-- Decides like decide.lua, with a sliding log that is readable in Redis: one member per hit. Tests compare decide.lua
-- with it.
--
-- KEYS
--   1..n   as in decide.lua; the state of a sliding log is a zset
-- ARGV
--   1..    as in decide.lua
-- Reply
--   1..    as in decide.lua
--
-- Atomic because decide.lua is.

--- @include "../../lib/now.lua"
--- @include "sliding-log.lua"
--- @include "../sliding-counter.lua"
--- @include "../fixed-window.lua"
--- @include "../token-bucket.lua"
--- @include "../leaky-bucket.lua"
--- @include "../in-flight.lua"
--- @include "../decide-levels.lua"

return decide(KEYS, ARGV)
