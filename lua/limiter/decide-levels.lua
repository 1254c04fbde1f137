-- The body of decide.lua and reference/decide.lua, which differ in the log they include.
--
-- Redis runs a script from its first line at each call, definitions too, which cost more than a decision if all are
-- made. So an include is one function, and makes its own only where a level of the policy wants them.

--- @include "punishment.lua"

local policy, clock_ms = cjson.decode(ARGV[1]), now_ms(ARGV[2])
local FIRST_MEMBER = 3

local made = {}
local function algorithm_of(level)
  local name = level.algorithm
  local algorithm = made[name]
  if not algorithm then
    if name == 'sliding-log' then
      algorithm = sliding_log()
    elseif name == 'sliding-counter' then
      algorithm = sliding_counter()
    elseif name == 'fixed-window' then
      algorithm = fixed_window()
    elseif name == 'token-bucket' then
      algorithm = token_bucket()
    elseif name == 'leaky-bucket' then
      algorithm = leaky_bucket()
    end
    made[name] = algorithm
  end
  return algorithm
end

local levels, punishing = policy.levels, {}
for place = 1, #levels do
  local level = levels[place]
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
local now, admitted, is_banned = clock_ms, true, false
for place = 1, #levels do
  local level = levels[place]
  local state = algorithm_of(level).read(level, clock_ms, cost)
  local is_full = cost > 0 and state.retry_after_ms > 0
  level.state = state
  level.refuses = is_full
  if level.punishment then
    local ban_stands = read_punishment(level.punishment, clock_ms)
    level.punishment.is_due = is_full and not level.shadow
    level.refuses = is_full or (cost > 0 and ban_stands)
    is_banned = is_banned or (ban_stands and not level.shadow)
  end
  if level.refuses and not level.shadow then
    admitted = false
  end
  if state.now > now then
    now = state.now
  end
end

-- Then charge all, or count the violations: a call that meets a ban adds none, at no level.
if admitted and cost > 0 then
  for place = 1, #levels do
    local level = levels[place]
    if not level.refuses then
      algorithm_of(level).charge(level, clock_ms, cost)
    end
  end
  if request_key then
    redis.call('SET', request_key, '1', 'PX', policy.request_ttl_ms)
  end
end
for place = 1, #punishing do
  local punishment = punishing[place].punishment
  if punishment.is_due and not is_banned then
    count_violation(punishment, clock_ms, bans_key)
  end
end

local reply = { now, admitted and 1 or 0, replayed and 1 or 0 }
local size = 3
for place = 1, #levels do
  local level = levels[place]
  local state, punishment = level.state, level.punishment
  local retry_after_ms = state.retry_after_ms
  if punishment then
    retry_after_ms = math.max(retry_after_ms, punishment.banned_until - clock_ms)
  end
  reply[size + 1] = level.refuses and 1 or 0
  reply[size + 2] = state.used
  reply[size + 3] = retry_after_ms
  reply[size + 4] = state.reset_ms
  reply[size + 5] = state.delay_ms
  size = size + 5
end
for place = 1, #punishing do
  local punishment = punishing[place].punishment
  reply[size + 1] = punishment.violations
  reply[size + 2] = punishment.banned_until
  size = size + 2
end
if policy.hits > 0 then
  for place = 1, #levels do
    local level = levels[place]
    reply[size + place] = algorithm_of(level).hits(level, policy.hits)
  end
end
return reply
