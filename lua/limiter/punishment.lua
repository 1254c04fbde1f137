-- The violations of one subject at one level, and its ban: a string `violations last_ms banned_until`.
--
-- Each refusal by the level itself is a violation. They lapse together, lapse_ms after the last. The violation that is
-- the ban_at-th bans for ban_ms; nothing is counted while the ban lasts, and its end clears the count.

--- @include "state.lua"

-- Sets `violations` and `banned_until` (0 without a ban). Returns true during a ban.
local function read_punishment(rule, clock_ms)
  rule.violations, rule.last_ms, rule.banned_until = 0, 0, 0
  local stored = redis.call('GET', rule.key)
  if not stored then
    return false
  end
  local violations, last_ms, banned_until = string.match(stored, '^(%d+) (%d+) (%d+)$')
  last_ms, banned_until = tonumber(last_ms), tonumber(banned_until)
  local is_over = banned_until > 0 and banned_until <= clock_ms
  local has_lapsed = banned_until == 0 and last_ms + rule.lapse_ms <= clock_ms
  if is_over or has_lapsed then
    return false
  end
  rule.violations, rule.last_ms, rule.banned_until = tonumber(violations), last_ms, banned_until
  return banned_until > 0
end

-- Counts one violation. Must not be called during a ban.
local function count_violation(rule, clock_ms, bans_key)
  rule.violations = rule.violations + 1
  rule.last_ms = math.max(rule.last_ms, clock_ms)
  local lives_ms = rule.lapse_ms
  if rule.violations >= rule.ban_at then
    rule.banned_until = clock_ms + rule.ban_ms
    lives_ms = rule.ban_ms
    redis.call('ZREMRANGEBYSCORE', bans_key, '-inf', clock_ms)
    redis.call('ZADD', bans_key, rule.banned_until, string.format('%s#%.0f', rule.member, rule.violations))
    redis.call('PEXPIRE', bans_key, math.max(redis.call('PTTL', bans_key), rule.ban_ms + EXPIRY_SLACK_MS))
  end
  redis.call(
    'SET',
    rule.key,
    string.format('%.0f %.0f %.0f', rule.violations, rule.last_ms, rule.banned_until),
    'PX',
    lives_ms + EXPIRY_SLACK_MS
  )
end
