-- The body of decide.lua and reference/decide.lua, which differ in the log they include.
--
-- Redis runs a script from its first line each time, definitions too, which cost more than a decision if all are made.
-- So an algorithm is one function, and gives a level its own only where some policy has that level: `read(clock_ms, cost)`,
-- `charge(clock_ms, cost)`, and `hits(most)` where it knows hits. For the same reason a table is made with all its
-- fields at once, and what a call finds is written over by the next.

--- @include "punishment.lua"

local function read_level(first_arg)
  local algorithm, options = ARGV[first_arg], ARGV[first_arg + 3]
  options = options ~= '' and cjson.decode(options) or nil
  local level = {
    limit = tonumber(ARGV[first_arg + 1]),
    window_ms = tonumber(ARGV[first_arg + 2]),
    sub_windows = options and options.sub_windows,
    shadow = options and options.shadow,
    punishment = options and options.punishment,
    -- Of the call in hand: whose state, what was read and charged, and whether it is refused.
    key = '',
    now = 0,
    used = 0,
    retry_after_ms = 0,
    reset_ms = 0,
    delay_ms = 0,
    refuses = false,
    -- By the algorithm.
    read = false,
    charge = false,
    hits = false
  }
  if algorithm == 'sliding-log' then
    sliding_log(level)
  elseif algorithm == 'sliding-counter' then
    sliding_counter(level)
  elseif algorithm == 'fixed-window' then
    fixed_window(level)
  elseif algorithm == 'token-bucket' then
    token_bucket(level)
  else
    leaky_bucket(level)
  end
  return level
end

-- One instant for all calls that come together, unless they bring their own.
local store_ms

-- What calls of one policy have in common: a list of its levels, and which of them punish.
local function read_policy(first_arg)
  local clock_ms, request_ttl_ms = ARGV[first_arg], ARGV[first_arg + 3]
  if clock_ms == '' then
    store_ms = store_ms or now_ms('')
    clock_ms = store_ms
  end
  local level_count, punishing = tonumber(ARGV[first_arg + 4]), {}
  local policy = {
    clock_ms = tonumber(clock_ms),
    cost = tonumber(ARGV[first_arg + 1]),
    shown_hits = tonumber(ARGV[first_arg + 2]),
    request_ttl_ms = request_ttl_ms ~= '' and request_ttl_ms,
    punishing = punishing,
    key_count = level_count + (request_ttl_ms ~= '' and 1 or 0)
  }
  for place = 1, level_count do
    local level = read_level(first_arg + 1 + place * 4)
    policy[place] = level
    if level.punishment then
      punishing[#punishing + 1] = level
    end
  end
  if punishing[1] then
    policy.key_count = policy.key_count + #punishing + 1
  end
  return policy
end

local replies, size = {}, 0

-- Adds the reply to one call, whose keys and members begin there.
local function decide_call(policy, first_key, first_member)
  local clock_ms, punishing = policy.clock_ms, policy.punishing
  local level_count, punishing_count = #policy, #punishing
  for place = 1, punishing_count do
    local punishment = punishing[place].punishment
    punishment.key = KEYS[first_key + level_count + place - 1]
    punishment.member = ARGV[first_member + place - 1]
  end
  local bans_key = punishing_count > 0 and KEYS[first_key + level_count + punishing_count]
  local request_key = policy.request_ttl_ms and KEYS[first_key + policy.key_count - 1]

  local replayed = request_key and redis.call('EXISTS', request_key) == 1
  local cost = replayed and 0 or policy.cost

  -- Read all.
  local now, admitted, is_banned = clock_ms, true, false
  for place = 1, level_count do
    local level = policy[place]
    level.key = KEYS[first_key + place - 1]
    level.read(clock_ms, cost)
    local refuses, punishment = cost > 0 and level.retry_after_ms > 0, level.punishment
    if punishment then
      local ban_stands = read_punishment(punishment, clock_ms)
      punishment.is_due = refuses and not level.shadow
      refuses = refuses or (cost > 0 and ban_stands)
      is_banned = is_banned or (ban_stands and not level.shadow)
    end
    level.refuses = refuses
    if refuses and not level.shadow then
      admitted = false
    end
    if level.now > now then
      now = level.now
    end
  end

  -- Then charge all, or count the violations: a call that meets a ban adds none, at no level.
  if admitted and cost > 0 then
    for place = 1, level_count do
      local level = policy[place]
      if not level.refuses then
        level.charge(clock_ms, cost)
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

  local at = size
  replies[at + 1], replies[at + 2], replies[at + 3] = now, admitted and 1 or 0, replayed and 1 or 0
  at = at + 3
  for place = 1, level_count do
    local level = policy[place]
    local retry_after_ms, punishment = level.retry_after_ms, level.punishment
    if punishment then
      retry_after_ms = math.max(retry_after_ms, punishment.banned_until - clock_ms)
    end
    replies[at + 1], replies[at + 2], replies[at + 3] = level.refuses and 1 or 0, level.used, retry_after_ms
    replies[at + 4], replies[at + 5] = level.reset_ms, level.delay_ms
    at = at + 5
  end
  for place = 1, punishing_count do
    local punishment = punishing[place].punishment
    replies[at + 1], replies[at + 2] = punishment.violations, punishment.banned_until
    at = at + 2
  end
  if policy.shown_hits > 0 then
    for place = 1, level_count do
      local level = policy[place]
      replies[at + place] = level.hits and level.hits(policy.shown_hits) or {}
    end
    at = at + level_count
  end
  size = at
end

local policies = {}
local next_key, next_arg = 1, tonumber(ARGV[1])
while next_arg <= #ARGV do
  local first_arg = ARGV[next_arg]
  local policy = policies[first_arg]
  if not policy then
    policy = read_policy(tonumber(first_arg))
    policies[first_arg] = policy
  end
  -- A call that fails, by a key of another type, takes no other with it.
  local is_decided, failure = pcall(decide_call, policy, next_key, next_arg + 1)
  if not is_decided then
    failure = type(failure) == 'table' and failure.err or tostring(failure)
    -- A replica charges nobody. Clients leave it for its primary where they hear of it as an error of the command.
    if string.sub(failure, 1, 8) == 'READONLY' then
      return redis.error_reply(failure)
    end
    size = size + 1
    replies[size] = failure
  end
  next_key = next_key + policy.key_count
  next_arg = next_arg + 1 + #policy.punishing
end
return replies
