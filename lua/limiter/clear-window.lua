-- Empties the window of one subject at one level.
--
-- KEYS
--   1      the level's state for the subject, of whatever algorithm; expires by itself
-- ARGV
--   none
-- Reply: 1 deleted, 0 where the window was empty
--
-- Atomic because it is one command; a script because a limiter sends nothing else.

local level_key = KEYS[1]

return redis.call('DEL', level_key)
