-- Empties the window of one subject at one level, and ends its generation, so that no call that was charged before returns
-- units or charges any when it is settled.
--
-- KEYS
--   1      the level's state for the subject, of any algorithm; expires by itself
--   2      string, the generation of that state (settle.lua); lives longer than the longest reservation
-- ARGV
--   1      the id of the next generation, which no other has
-- Reply: 1 deleted, 0 no such window
--
-- Atomic because a settling between the two commands would return units of calls after the clear.

local key, generation_key = KEYS[1], KEYS[2]
local id = ARGV[1]

-- The longest lease of a reservation, an hour, and the slack of all expiries.
local GENERATION_TTL_MS = 3600000 + 60000

redis.call('SET', generation_key, id .. ' 0 ', 'PX', GENERATION_TTL_MS)
return redis.call('DEL', key)
