-- The expiry of states, and their validation: the key of a level may hold any text, and an invalid state fails its call
-- before a decision.

-- Keys expire 60 s later than needed, because a caller's clock (tests, lab) may be slower than the clock of Redis. The
-- values decide; the expiry only frees memory.
local EXPIRY_SLACK_MS = 60000

local function refuse_state(level, what)
  error({ err = 'ERR ' .. level.key .. ' is not a valid ' .. what })
end

-- Returns true if a number of a state is valid: doubles may be infinite or NaN.
local function is_count(number)
  return number >= 0 and number <= 9007199254740992
end

-- The instants until which Redis keeps keys, as far as this function has set them. To set an expiry takes a third of the
-- time of a write, so a key that is kept long enough is written without. Few keys, because the garbage collector visits
-- them during each call: 16384 cost a call that is sent alone more than they save.
local MAX_KEPT_KEYS = 256
local kept_until, kept_count = {}, 0

-- Call it when a key does not exist, or is written with another expiry.
local function forget_expiry(key)
  kept_until[key] = nil
end

-- Returns true if Redis keeps an existing key until an instant of its log and half of the slack longer. If not, the caller
-- sets the expiry to that instant and all of the slack.
local function is_kept(key, instant)
  local known = kept_until[key]
  if known and known >= instant + EXPIRY_SLACK_MS / 2 then
    return true
  end
  if kept_count == MAX_KEPT_KEYS then
    kept_until, kept_count = {}, 0
  end
  kept_until[key], kept_count = instant + EXPIRY_SLACK_MS, kept_count + (known and 0 or 1)
  return false
end
