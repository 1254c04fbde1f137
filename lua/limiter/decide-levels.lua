-- The body of decide.lua and queue-join.lua.
--
-- `group` is a table with what the calls of a group have in common: keys and args of the script call, policy_args, clock_ms,
-- and records, the texts by key that these calls store besides their levels. The keys and arguments of a call begin at
-- first_key and first_arg. A call overwrites the fields of the levels that the call before has set.

--- @include "state.lua"
--- @include "loaded-levels.lua"
--- @include "policy-args.lua"
--- @include "punishment.lua"
--- @include "request-id.lua"
--- @include "settle.lua"

-- One count, and those of a level.
local COUNT = ' ' .. WHOLE
local COUNTS = COUNT .. COUNT .. COUNT

-- Sets the numbers of a call. A charged level is saved before its numbers change, because its expiry depends on them.
local function set_own_numbers(policy_args, text)
  local next_number = string.gmatch(text, '%d+')
  if policy_args.has_own_cost then
    policy_args.cost = tonumber(next_number())
  end
  local personal = policy_args.personal
  for index = 1, #personal do
    local level = personal[index]
    local limit, window_ms = tonumber(next_number()), tonumber(next_number())
    if level.limit ~= limit or level.window_ms ~= window_ms then
      if level.is_charged then
        save_level(level)
      end
      level.limit, level.window_ms = limit, window_ms
      level.set_numbers(limit, window_ms)
    end
  end
end

-- Releases or renews the lease of a call on all its levels. Returns its reply.
local function change_lease(group, first_key, first_arg)
  local policy_args, held = group.policy_args, '0'
  for index = 1, #policy_args.levels do
    local level = policy_args.levels[index]
    load_level(level, group.keys[first_key + index - 1])
    if level[policy_args.kind](group.clock_ms, group.args[first_arg]) then
      level.is_charged, held = true, '1'
    end
  end
  return held
end

-- Returns the part of a level in a reply.
local function level_text(level, clock_ms)
  local used, retry_after_ms, reset_ms = level.counts(clock_ms)
  local punishment = level.punishment
  if punishment then
    retry_after_ms = math.max(retry_after_ms, punishment.banned_until - clock_ms)
  end
  local text = string.format(COUNTS, used, retry_after_ms, reset_ms)
  if level.queues then
    text = text .. string.format(COUNT, level.delay_ms)
  elseif level.shadow then
    text = text .. (level.refuses and ' 1' or ' 0')
  end
  if level.is_shared then
    text = text .. (retry_after_ms > 0 and is_reserved(level, clock_ms) and ' 1' or ' 0')
  end
  if punishment then
    text = text .. string.format(COUNT .. COUNT, punishment.violations, punishment.banned_until)
  end
  return text
end

local function append_hits(reply, levels, max_hits)
  for index = 1, #levels do
    local level = levels[index]
    local hits = level.hits and level.hits(max_hits) or {}
    reply = table.concat({ reply, #hits, unpack(hits) }, ' ')
  end
  return reply
end

-- Sets the keys and arguments of a call besides the keys of its levels. Returns the key of the bans, the key of the request
-- id, the fingerprint of its input, and the stored text of the id if it has been charged.
local function select_others(group, first_key, next_arg)
  local policy_args, keys, args = group.policy_args, group.keys, group.args
  local punishing, leasing = policy_args.punishing, policy_args.leasing
  local next_key, last_key = first_key + #policy_args.levels, first_key + policy_args.key_count - 1
  for index = 1, #punishing do
    local punishment = punishing[index].punishment
    punishment.key, punishment.member = keys[next_key], args[next_arg]
    next_key, next_arg = next_key + 1, next_arg + 1
  end
  local bans_key = punishing[1] and keys[next_key]
  local request_key, request_input, charged
  if policy_args.request_ttl_ms then
    request_key, request_input = keys[last_key], args[next_arg]
    last_key, next_arg = last_key - 1, next_arg + 1
    charged = group.records[request_key] or redis.call('GET', request_key)
  end
  -- A policy with a shared level has no queue.
  if policy_args.queued then
    policy_args.queued.queue_key = keys[last_key]
  elseif policy_args.shared then
    policy_args.shared.generation_key = keys[last_key]
  end
  for index = 1, leasing and #leasing or 0 do
    leasing[index].lease_id = args[next_arg]
  end
  return bans_key, request_key, request_input, charged
end

-- Decides a call. Returns its reply.
local function decide_call(group, first_key, first_arg)
  local policy_args, clock_ms, keys = group.policy_args, group.clock_ms, group.keys
  local levels, cost = policy_args.levels, policy_args.cost
  local bans_key, request_key, request_input, charged
  if policy_args.has_others then
    bans_key, request_key, request_input, charged = select_others(group, first_key, first_arg)
    cost = charged and 0 or cost
  end

  -- Read all levels.
  local now, admitted, is_banned = clock_ms, true, false
  for index = 1, #levels do
    local level = levels[index]
    load_level(level, keys[first_key + index - 1])
    local retry_after_ms, level_now = level.read(clock_ms, cost)
    local refuses, punishment = cost > 0 and retry_after_ms > 0, level.punishment
    if punishment then
      local has_ban = read_punishment(punishment, clock_ms)
      punishment.is_due = refuses and not level.shadow
      refuses = refuses or (cost > 0 and has_ban)
      is_banned = is_banned or (has_ban and not level.shadow)
    end
    level.refuses, level.now = refuses, level_now
    if refuses and not level.shadow then
      admitted = false
    end
    if level_now > now then
      now = level_now
    end
  end

  -- Then charge all levels, or count the violations. A call during a ban counts no violation at any level.
  if admitted and cost > 0 then
    if policy_args.reserve_ms then
      local reservation_key, text = reserve(group, first_key, cost)
      group.records[reservation_key] = text
    end
    for index = 1, #levels do
      local level = levels[index]
      if not level.refuses then
        level.charge(clock_ms, cost)
        level.is_charged = true
      end
    end
    if request_key then
      group.records[request_key] = charged_id(levels, request_input, clock_ms)
    end
  end
  if bans_key and not is_banned then
    count_violations(policy_args.punishing, clock_ms, bans_key)
  end

  local outcome = admitted and ' 1' or ' 0'
  if charged and admitted then
    outcome = replay_id(levels, charged, clock_ms) == request_input and ' 2' or ' 3'
  end
  local reply = instant_text(now) .. outcome
  for index = 1, #levels do
    reply = reply .. level_text(levels[index], clock_ms)
  end
  return policy_args.hits > 0 and append_hits(reply, levels, policy_args.hits) or reply
end

-- Decides a plain call, as most are: the steps of decide_call that it needs.
local function decide_plain(group, first_key)
  local policy_args, clock_ms, keys = group.policy_args, group.clock_ms, group.keys
  local levels, cost = policy_args.levels, policy_args.cost
  local now, admitted = clock_ms, true
  for index = 1, #levels do
    local level = levels[index]
    load_level(level, keys[first_key + index - 1])
    local retry_after_ms, level_now = level.read(clock_ms, cost)
    admitted = admitted and retry_after_ms == 0
    if level_now > now then
      now = level_now
    end
  end
  local reply = instant_text(now) .. (admitted and ' 1' or ' 0')
  for index = 1, #levels do
    local level = levels[index]
    if admitted then
      level.charge(clock_ms, cost)
      level.is_charged = true
    end
    reply = reply .. string.format(COUNTS, level.counts(clock_ms))
  end
  return reply
end

-- The commands on an earlier call, by the kind in their policy arguments.
local later_commands = { release = change_lease, renew = change_lease, settle = settle_call }

-- Returns the reply to a call that failed, for example on a key of another type: it does not fail the others. Raises an error
-- that concerns more than this call.
local function failure_text(levels, failure)
  local text = type(failure) == 'table' and failure.err or tostring(failure)
  -- A replica cannot charge. Clients switch to its primary if the command itself fails with this error. Redis 6 reports it
  -- as a text, with the code after the position, and cannot raise a table.
  if is_saving or string.find(text, 'READONLY', 1, true) then
    error(failure, 0)
  end
  for index = 1, #levels do
    local level = levels[index]
    level.key = level.is_charged and level.key
  end
  return '-' .. string.gsub(text, '\n', ' ')
end

-- What the calls of the current group have in common, and the replies of the current script call. Tables for all script calls:
-- new ones would grow with each call.
local group, replies = {}, {}

-- Decides the groups of calls in the arguments from first_arg to last_arg, whose keys begin at first_key. Default: all.
local function decide(keys, args, first_key, first_arg, last_arg)
  local store_ms
  group.keys, group.args = keys, args
  local next_key, next_arg = first_key or 1, first_arg or 1
  last_arg = last_arg or #args
  if open_levels then
    drop_levels()
  end
  local decided_count = 0
  while next_arg <= last_arg do
    local policy_args, calls = get_policy_args(args[next_arg]), tonumber(args[next_arg + 1])
    has_callers_clock = not calls
    if calls then
      -- All calls of the batch have one instant, unless they have their own clock.
      store_ms = store_ms or now_ms('')
      group.clock_ms = store_ms
    else
      local clock
      calls, clock = string.match(args[next_arg + 1], '^(%d+) (%d+)$')
      group.clock_ms = tonumber(clock)
    end
    next_arg = next_arg + 2
    group.policy_args, group.records = policy_args, policy_args.record_ttl_ms and {}
    open_levels = policy_args.levels
    local key_count, arg_count = policy_args.key_count, policy_args.arg_count
    local decide_one = later_commands[policy_args.kind] or (policy_args.is_plain and decide_plain) or decide_call
    for _ = 1, calls do
      if policy_args.has_own_numbers then
        set_own_numbers(policy_args, args[next_arg + arg_count - 1])
      end
      local is_decided, reply = pcall(decide_one, group, next_key, next_arg)
      decided_count = decided_count + 1
      replies[decided_count] = is_decided and reply or failure_text(policy_args.levels, reply)
      next_key, next_arg = next_key + key_count, next_arg + arg_count
    end
    close_levels()
    -- Write request ids and reservations last, so that those that are stored were charged.
    if group.records then
      for key, text in pairs(group.records) do
        redis.call('SET', key, text, 'PX', policy_args.record_ttl_ms)
      end
    end
  end
  return decided_count == 1 and replies[1] or table.concat(replies, '\n', 1, decided_count)
end
