-- The body of decide.lua and reference/decide.lua, which differ in the log they include.
--
-- A call overwrites the fields of the call before. Consecutive calls on one key, such as those of a flood on the global
-- window, share the loaded state; it is saved after the last of them.

--- @include "instant.lua"
--- @include "policy-args.lua"
--- @include "punishment.lua"
--- @include "request-id.lua"
--- @include "settle.lua"

-- One count, and those of a level.
local COUNT = ' ' .. WHOLE
local COUNTS = COUNT .. COUNT .. COUNT

-- The levels of the current group of calls; still set if an error ended the last script call.
local open_levels

-- Writes the state of a level that a call has changed.
local function save_level(level)
  level.save()
  level.is_charged = false
end

-- Saves the levels after a group of calls. The next group reads them again, because other script calls write to the keys.
local function close_levels()
  for index = 1, #open_levels do
    local level = open_levels[index]
    if level.is_charged then
      save_level(level)
    end
    level.key = false
  end
  open_levels = nil
end

-- Discards the unsaved changes of a script call that failed.
local function drop_levels()
  for index = 1, #open_levels do
    open_levels[index].key, open_levels[index].is_charged = false, false
  end
end

-- Saves the levels that were charged on another key than that of the call whose keys begin at first_key. An error in it
-- fails the whole script, because it concerns calls that were decided before.
local function save_others(levels, keys, first_key)
  for index = 1, #levels do
    local level = levels[index]
    if level.is_charged and level.key ~= keys[first_key + index - 1] then
      save_level(level)
    end
  end
end

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
local function change_lease(policy_args, clock_ms, keys, first_key, args, first_arg)
  local held = '0'
  for index = 1, #policy_args.levels do
    local level = policy_args.levels[index]
    load_level(level, keys[first_key + index - 1])
    if level[policy_args.kind](clock_ms, args[first_arg]) then
      level.is_charged, held = true, '1'
    end
  end
  return held
end

-- Returns the part of a level in a reply.
local function level_text(level, clock_ms)
  local retry_after_ms, punishment = level.retry_after_ms, level.punishment
  if punishment then
    retry_after_ms = math.max(retry_after_ms, punishment.banned_until - clock_ms)
  end
  local text = string.format(COUNTS, level.used, retry_after_ms, level.reset_ms)
  if level.queues then
    text = text .. string.format(COUNT, level.delay_ms)
  elseif level.shadow then
    text = text .. (level.refuses and ' 1' or ' 0')
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
local function select_others(policy_args, keys, first_key, args, first_arg, records)
  local punishing, leasing = policy_args.punishing, policy_args.leasing
  local next_key, last_key = first_key + #policy_args.levels, first_key + policy_args.key_count - 1
  for index = 1, #punishing do
    local punishment = punishing[index].punishment
    punishment.key, punishment.member = keys[next_key], args[first_arg]
    next_key, first_arg = next_key + 1, first_arg + 1
  end
  local bans_key = punishing[1] and keys[next_key]
  local request_key, request_input, charged
  if policy_args.request_ttl_ms then
    request_key, request_input = keys[last_key - 1], args[first_arg]
    first_arg = first_arg + 1
    charged = records[request_key] or read_charged_id(request_key, keys[last_key], request_input)
  end
  if policy_args.queued then
    policy_args.queued.queue_key = keys[last_key - (request_key and 2 or 0)]
  end
  for index = 1, leasing and #leasing or 0 do
    leasing[index].lease_id = args[first_arg]
  end
  return bans_key, request_key, request_input, charged
end

-- Decides the call whose keys and arguments begin at first_key and first_arg. Returns its reply.
local function decide_call(policy_args, clock_ms, keys, first_key, args, first_arg, records)
  local levels, cost = policy_args.levels, policy_args.cost
  local bans_key, request_key, request_input, charged
  if policy_args.has_others then
    bans_key, request_key, request_input, charged =
      select_others(policy_args, keys, first_key, args, first_arg, records)
    cost = charged and 0 or cost
  end

  -- Read all levels.
  local now, admitted, is_banned = clock_ms, true, false
  for index = 1, #levels do
    local level = levels[index]
    load_level(level, keys[first_key + index - 1])
    level.read(clock_ms, cost)
    local refuses, punishment = cost > 0 and level.retry_after_ms > 0, level.punishment
    if punishment then
      local has_ban = read_punishment(punishment, clock_ms)
      punishment.is_due = refuses and not level.shadow
      refuses = refuses or (cost > 0 and has_ban)
      is_banned = is_banned or (has_ban and not level.shadow)
    end
    level.refuses = refuses
    if refuses and not level.shadow then
      admitted = false
    end
    if level.now > now then
      now = level.now
    end
  end

  -- Then charge all levels, or count the violations. A call during a ban counts no violation at any level.
  if admitted and cost > 0 then
    for index = 1, #levels do
      local level = levels[index]
      if not level.refuses then
        level.charge(clock_ms, cost)
        level.is_charged = true
      end
    end
    if request_key then
      records[request_key] = charged_id(levels, request_input, clock_ms)
    elseif policy_args.reserve_ms then
      local reservation_key = keys[first_key + policy_args.key_count - 1]
      records[reservation_key] = reservation_text(levels, cost, clock_ms + policy_args.reserve_ms)
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

-- The commands on a former call, by the kind in their policy arguments.
local later_commands = { release = change_lease, renew = change_lease, settle = settle_call }

-- The replies of the current script call. One table for all: a new one would grow with each call.
local replies = {}

-- Decides the groups of calls in the arguments from first_arg to last_arg, whose keys begin at first_key. Default: all.
local function decide(keys, args, first_key, first_arg, last_arg)
  local store_ms
  local reply_count, next_key, next_arg = 0, first_key or 1, first_arg or 1
  last_arg = last_arg or #args
  if open_levels then
    drop_levels()
  end
  while next_arg <= last_arg do
    local policy_args, calls = get_policy_args(args[next_arg]), tonumber(args[next_arg + 1])
    local clock_ms
    if calls then
      -- All calls of the batch have one instant, unless they have their own clock.
      store_ms = store_ms or now_ms('')
      clock_ms = store_ms
    else
      calls, clock_ms = string.match(args[next_arg + 1], '^(%d+) (%d+)$')
      clock_ms = tonumber(clock_ms)
    end
    next_arg = next_arg + 2
    local levels, records = policy_args.levels, policy_args.record_ttl_ms and {}
    local execute = later_commands[policy_args.kind] or decide_call
    open_levels = levels
    for _ = 1, calls do
      save_others(levels, keys, next_key)
      if policy_args.has_own_numbers then
        set_own_numbers(policy_args, args[next_arg + policy_args.arg_count - 1])
      end
      -- A call that fails, for example on a key of another type, does not fail the others.
      local is_decided, reply = pcall(execute, policy_args, clock_ms, keys, next_key, args, next_arg, records)
      if not is_decided then
        for index = 1, #levels do
          local level = levels[index]
          level.key = level.is_charged and level.key
        end
        local failure = type(reply) == 'table' and reply.err or tostring(reply)
        -- A replica cannot charge. Clients switch to its primary if the command itself fails with this error.
        if string.sub(failure, 1, 8) == 'READONLY' then
          return redis.error_reply(failure)
        end
        reply = '-' .. string.gsub(failure, '\n', ' ')
      end
      reply_count = reply_count + 1
      replies[reply_count] = reply
      next_key = next_key + policy_args.key_count
      next_arg = next_arg + policy_args.arg_count
    end
    close_levels()
    -- Write request ids and reservations last, so that those that are stored were charged.
    if records then
      for key, text in pairs(records) do
        redis.call('SET', key, text, 'PX', policy_args.record_ttl_ms)
      end
    end
  end
  return reply_count == 1 and replies[1] or table.concat(replies, '\n', 1, reply_count)
end
