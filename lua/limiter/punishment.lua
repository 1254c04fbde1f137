-- The violations of one subject at one level, and its ban: a string `violations last_ms banned_until`.
--
-- Each refusal by the level itself is a violation. They lapse together, lapse_ms after the last. The violation that is
-- the ban_at-th bans for ban_ms; nothing is counted while the ban lasts, and its end clears the count.

--- @include "state.lua"

-- Sets `violations` and `banned_until` (0 without a ban). Returns true during a ban.
local function read_punishment(punishment, clock_ms)
  punishment.violations, punishment.last_ms, punishment.banned_until = 0, 0, 0
  local stored = redis.call('GET', punishment.key)
  if not stored then
    return false
  end
  local violations, last_ms, banned_until = string.match(stored, '^(%d+) (%d+) (%d+)$')
  last_ms, banned_until = tonumber(last_ms), tonumber(banned_until)
  local is_over = banned_until > 0 and banned_until <= clock_ms
  local has_lapsed = banned_until == 0 and last_ms + punishment.lapse_ms <= clock_ms
  if is_over or has_lapsed then
    return false
  end
  punishment.violations, punishment.last_ms, punishment.banned_until = tonumber(violations), last_ms, banned_until
  return banned_until > 0
end

local function save_punishment(punishment, ttl_ms)
  local text = string.format('%.0f %.0f %.0f', punishment.violations, punishment.last_ms, punishment.banned_until)
  redis.call('SET', punishment.key, text, 'PX', ttl_ms + EXPIRY_SLACK_MS)
end

-- Bans for ban_ms.
local function start_ban(punishment, clock_ms, bans_key)
  punishment.banned_until = clock_ms + punishment.ban_ms
  redis.call('ZREMRANGEBYSCORE', bans_key, '-inf', clock_ms)
  local member = string.format('%s#%.0f', punishment.member, punishment.violations)
  redis.call('ZADD', bans_key, punishment.banned_until, member)
  redis.call('PEXPIRE', bans_key, math.max(redis.call('PTTL', bans_key), punishment.ban_ms + EXPIRY_SLACK_MS))
  save_punishment(punishment, punishment.ban_ms)
end

-- Counts one violation. Must not be called during a ban.
local function count_violation(punishment, clock_ms, bans_key)
  punishment.violations = punishment.violations + 1
  punishment.last_ms = math.max(punishment.last_ms, clock_ms)
  if punishment.violations >= punishment.ban_at then
    start_ban(punishment, clock_ms, bans_key)
  else
    save_punishment(punishment, punishment.lapse_ms)
  end
end

-- Counts a violation for each level that is due.
local function count_violations(punishing, clock_ms, bans_key)
  for index = 1, #punishing do
    local punishment = punishing[index].punishment
    if punishment.is_due then
      count_violation(punishment, clock_ms, bans_key)
    end
  end
end
