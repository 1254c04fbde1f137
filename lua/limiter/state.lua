-- What is stored under a level's key may be anything: what makes no sense fails its own call, before a decision is made of
-- it.

local function refuse_state(level, what)
  error({ err = 'ERR ' .. level.key .. ' is no ' .. what })
end

-- Whether a number that a state holds can be one: doubles may be infinite, or no number at all.
local function is_count(number)
  return number >= 0 and number <= 9007199254740992
end
