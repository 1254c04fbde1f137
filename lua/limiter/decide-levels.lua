-- The body of decide.lua and reference/decide.lua, which differ in the log they include.
--
-- Redis runs a script from its first line each time, definitions too, which cost more than a decision if all are made.
-- So an include is one function, and makes its own only where a level of some policy wants them.

--- @include "punishment.lua"

local policies = cjson.decode(ARGV[1])

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

-- Which levels of each policy punish: their keys and members follow those of the levels.
for place = 1, #policies do
  local policy, punishing = policies[place], {}
  for _, level in ipairs(policy.levels) do
    if level.punishment then
      punishing[#punishing + 1] = level
    end
  end
  policy.punishing = punishing
end

-- The reply to one call, whose keys and members begin there. What is kept of a level while a call is decided is written
-- anew by the next.
local function decide_call(policy, clock_ms, first_key, key_count, first_member)
  local levels, punishing = policy.levels, policy.punishing
  local level_count, punishing_count = #levels, #punishing
  local bans_key
  for place = 1, level_count do
    levels[place].key = KEYS[first_key + place - 1]
  end
  local keys_of_levels = level_count
  if punishing_count > 0 then
    for place = 1, punishing_count do
      local punishment = punishing[place].punishment
      punishment.key = KEYS[first_key + level_count + place - 1]
      punishment.member = ARGV[first_member + place - 1]
    end
    keys_of_levels = level_count + punishing_count + 1
    bans_key = KEYS[first_key + keys_of_levels - 1]
  end
  local request_key = key_count > keys_of_levels and KEYS[first_key + keys_of_levels]

  local replayed = request_key and redis.call('EXISTS', request_key) == 1
  local cost = replayed and 0 or policy.cost

  -- Read all.
  local now, admitted, is_banned = clock_ms, true, false
  for place = 1, level_count do
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
    for place = 1, level_count do
      local level = levels[place]
      if not level.refuses then
        algorithm_of(level).charge(level, clock_ms, cost)
      end
    end
    if request_key then
      redis.call('SET', request_key, '1', 'PX', policy.request_ttl_ms)
    end
  end
  for place = 1, punishing_count do
    local punishment = punishing[place].punishment
    if punishment.is_due and not is_banned then
      count_violation(punishment, clock_ms, bans_key)
    end
  end

  local reply = { now, admitted and 1 or 0, replayed and 1 or 0 }
  local size = 3
  for place = 1, level_count do
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
  for place = 1, punishing_count do
    local punishment = punishing[place].punishment
    reply[size + 1] = punishment.violations
    reply[size + 2] = punishment.banned_until
    size = size + 2
  end
  if policy.hits > 0 then
    for place = 1, level_count do
      local level = levels[place]
      reply[size + place] = algorithm_of(level).hits(level, policy.hits)
    end
  end
  return reply
end

-- One instant for all calls that come together, unless they bring their own.
local store_ms
local function clock_of(callers_clock)
  if callers_clock ~= '' then
    return tonumber(callers_clock)
  end
  store_ms = store_ms or now_ms('')
  return store_ms
end

-- A call that fails, by a key of another type, takes no other with it.
local replies, next_key, next_arg = {}, 1, 2
while next_arg < #ARGV do
  local policy, clock_ms = policies[tonumber(ARGV[next_arg])], clock_of(ARGV[next_arg + 1])
  local key_count = tonumber(ARGV[next_arg + 2])
  local is_decided, reply = pcall(decide_call, policy, clock_ms, next_key, key_count, next_arg + 3)
  if not is_decided then
    reply = type(reply) == 'table' and reply.err or tostring(reply)
    -- A replica charges nobody. Clients leave it for its primary where they hear of it as an error of the command.
    if string.sub(reply, 1, 8) == 'READONLY' then
      return redis.error_reply(reply)
    end
  end
  replies[#replies + 1] = reply
  next_key = next_key + key_count
  next_arg = next_arg + 3 + #policy.punishing
end
return replies
