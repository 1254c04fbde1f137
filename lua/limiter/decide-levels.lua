-- The body of decide.lua and reference/decide.lua, which differ in the log they include.

--- @include "punishment.lua"

local policy, clock_ms = cjson.decode(ARGV[1]), now_ms(ARGV[2])
local FIRST_MEMBER = 3

local algorithms = {
  ['sliding-log'] = sliding_log,
  ['sliding-counter'] = sliding_counter,
  ['fixed-window'] = fixed_window,
  ['token-bucket'] = token_bucket,
  ['leaky-bucket'] = leaky_bucket
}

local levels, punishing = policy.levels, {}
for place, level in ipairs(levels) do
  level.key = KEYS[place]
  if level.punishment then
    punishing[#punishing + 1] = level
    level.punishment.key = KEYS[#levels + #punishing]
    level.punishment.member = ARGV[FIRST_MEMBER + #punishing - 1]
  end
end
local key_count = #levels + #punishing
local bans_key
if #punishing > 0 then
  key_count = key_count + 1
  bans_key = KEYS[key_count]
end
local request_key = KEYS[key_count + 1]

local replayed = request_key and redis.call('EXISTS', request_key) == 1
local cost = replayed and 0 or policy.cost

-- Read all.
local now, admitted = clock_ms, true
for _, level in ipairs(levels) do
  local state = algorithms[level.algorithm].read(level, clock_ms, cost)
  level.state = state
  level.is_full = cost > 0 and state.retry_after_ms > 0
  level.refuses = level.is_full
  if level.punishment then
    local is_banned = punishment.read(level.punishment, clock_ms)
    level.refuses = level.is_full or (cost > 0 and is_banned)
  end
  if level.refuses and not level.shadow then
    admitted = false
  end
  now = math.max(now, state.now)
end

-- Then charge all, or count the violations.
for _, level in ipairs(levels) do
  if admitted and cost > 0 and not level.refuses then
    algorithms[level.algorithm].charge(level, clock_ms, cost)
  end
  if level.punishment and level.is_full and not level.shadow then
    punishment.violate(level.punishment, clock_ms, bans_key)
  end
end
if admitted and cost > 0 and request_key then
  redis.call('SET', request_key, '1', 'PX', policy.request_ttl_ms)
end

local reply = { now, admitted and 1 or 0, replayed and 1 or 0 }
for _, level in ipairs(levels) do
  local state, size = level.state, #reply
  local banned_for_ms = level.punishment and level.punishment.banned_until - clock_ms or 0
  reply[size + 1] = level.refuses and 1 or 0
  reply[size + 2] = state.used
  reply[size + 3] = math.max(state.retry_after_ms, banned_for_ms)
  reply[size + 4] = state.reset_ms
  reply[size + 5] = state.delay_ms
end
for _, level in ipairs(punishing) do
  reply[#reply + 1] = level.punishment.violations
  reply[#reply + 1] = level.punishment.banned_until
end
if policy.hits > 0 then
  for _, level in ipairs(levels) do
    reply[#reply + 1] = algorithms[level.algorithm].hits(level, policy.hits)
  end
end
return reply
