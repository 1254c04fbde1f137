-- The expiry of states, and their validation: the key of a level may hold any text, and an invalid state fails its call
-- before a decision.

-- Keys expire 60 s later than needed, because a caller's clock (tests, lab) may be slower than the clock of Redis. The
-- values decide; the expiry only frees memory.
local EXPIRY_SLACK_MS = 60000

-- False while calls are decided by the clock of Redis.
local has_callers_clock = true

local function refuse_state(level, what)
  error({ err = 'ERR ' .. level.key .. ' is not a valid ' .. what })
end

-- The greatest whole number up to which a double holds all.
local MAX_COUNT = 9007199254740992

-- Returns true if a number of a state is valid: doubles may be infinite or NaN.
local function is_count(number)
  return number >= 0 and number <= MAX_COUNT
end
