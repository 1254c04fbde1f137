-- The body of decide.lua and reference/decide.lua, which differ in the log they include.
--
-- A call overwrites the fields of the call before. Consecutive calls on one key, such as those of a flood on the global
-- window, share the loaded state; it is saved after the last of them.

--- @include "instant.lua"
--- @include "policy-args.lua"
--- @include "punishment.lua"
--- @include "request-id.lua"
--- @include "settle.lua"

-- The levels of the current group of calls; still set if an error ended the last script call.
local open_levels

-- Writes the state of a level, if a call has changed it.
local function save_level(level)
  if level.is_charged then
    level.save()
    level.is_charged = false
  end
end

-- Closes the levels after a group of calls, because other script calls write to the same keys.
local function close_levels(is_saving)
  for index = 1, #open_levels do
    local level = open_levels[index]
    if is_saving then
      save_level(level)
    end
    level.key, level.is_loaded, level.is_charged = nil, false, false
  end
  open_levels = nil
end

-- Sets the key of each level for the call whose keys begin at first_key, and saves levels that were charged on another
-- key. An error in it fails the whole script, because it concerns calls that were decided before.
local function select_keys(levels, keys, first_key)
  for index = 1, #levels do
    local level, key = levels[index], keys[first_key + index - 1]
    if level.key ~= key then
      save_level(level)
      level.key, level.is_loaded = key, false
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
      save_level(level)
      level.limit, level.window_ms = limit, window_ms
      level.set_numbers(limit, window_ms)
    end
  end
end

-- Releases or renews the lease of a call on all its levels. Returns its reply.
local function change_lease(policy_args, clock_ms, _keys, _first_key, args, first_arg)
  local held = '0'
  for index = 1, #policy_args.levels do
    local level = policy_args.levels[index]
    load_level(level)
    if level[policy_args.kind](clock_ms, args[first_arg]) then
      level.is_charged, held = true, '1'
    end
  end
  return held
end

-- Decides the call whose keys and arguments begin at first_key and first_arg. Returns its reply.
local function decide_call(policy_args, clock_ms, keys, first_key, args, first_arg, records)
  local levels, punishing = policy_args.levels, policy_args.punishing
  local level_count, punishing_count = #levels, #punishing
  for index = 1, punishing_count do
    local punishment = punishing[index].punishment
    punishment.key = keys[first_key + level_count + index - 1]
    punishment.member = args[first_arg + index - 1]
  end
  local bans_key = punishing_count > 0 and keys[first_key + level_count + punishing_count]
  local request_key = policy_args.request_ttl_ms and keys[first_key + policy_args.key_count - 2]
  local former_key = keys[first_key + policy_args.key_count - 1]

  if policy_args.queued then
    policy_args.queued.queue_key = keys[first_key + policy_args.key_count - (request_key and 3 or 1)]
  end

  local request_input = args[first_arg + punishing_count]
  local charged = request_key
    and (records[request_key] or read_charged_id(request_key, former_key, request_input))
  local cost = charged and 0 or policy_args.cost
  for index = 1, policy_args.leasing and #policy_args.leasing or 0 do
    policy_args.leasing[index].lease_id = args[first_arg + punishing_count + (request_key and 1 or 0)]
  end

  -- Read all levels.
  local now, admitted, is_banned = clock_ms, true, false
  for index = 1, level_count do
    local level = levels[index]
    load_level(level)
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
    for index = 1, level_count do
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
  for index = 1, punishing_count do
    local punishment = punishing[index].punishment
    if punishment.is_due and not is_banned then
      count_violation(punishment, clock_ms, bans_key)
    end
  end

  local outcome = admitted and ' 1' or ' 0'
  if charged and admitted then
    outcome = replay_id(levels, charged, clock_ms) == request_input and ' 2' or ' 3'
  end

  local reply = instant_text(now) .. outcome
  for index = 1, level_count do
    local level = levels[index]
    local retry_after_ms, punishment = level.retry_after_ms, level.punishment
    if punishment then
      retry_after_ms = math.max(retry_after_ms, punishment.banned_until - clock_ms)
    end
    reply = reply .. ' ' .. digits(level.used) .. ' ' .. digits(retry_after_ms) .. ' ' .. digits(level.reset_ms)
    if level.queues then
      reply = reply .. ' ' .. digits(level.delay_ms)
    elseif level.shadow then
      reply = reply .. (level.refuses and ' 1' or ' 0')
    end
    if punishment then
      reply = reply .. ' ' .. digits(punishment.violations) .. ' ' .. instant_text(punishment.banned_until)
    end
  end
  for index = 1, policy_args.hits > 0 and level_count or 0 do
    local level = levels[index]
    local hits = level.hits and level.hits(policy_args.hits) or {}
    reply = table.concat({ reply, #hits, unpack(hits) }, ' ')
  end
  return reply
end

-- The commands on a former call, by the kind in their policy arguments.
local later_commands = { release = change_lease, renew = change_lease, settle = settle_call }

-- Decides the groups of calls in the arguments from first_arg to last_arg, whose keys begin at first_key. Default: all.
local function decide(keys, args, first_key, first_arg, last_arg)
  local replies = {}
  local store_ms
  local next_key, next_arg = first_key or 1, first_arg or 1
  last_arg = last_arg or #args
  if open_levels then
    close_levels(false)
  end
  while next_arg <= last_arg do
    local policy_args = get_policy_args(args[next_arg])
    local calls, callers_clock = string.match(args[next_arg + 1], '^(%d+) ?(%d*)$')
    local clock_ms = tonumber(callers_clock)
    -- All calls of the batch have one instant, unless they have their own clock.
    if not clock_ms then
      store_ms = store_ms or now_ms('')
      clock_ms = store_ms
    end
    next_arg = next_arg + 2
    local levels, records = policy_args.levels, policy_args.record_ttl_ms and {}
    local execute = later_commands[policy_args.kind] or decide_call
    open_levels = levels
    for _ = 1, calls do
      select_keys(levels, keys, next_key)
      if policy_args.has_own_numbers then
        set_own_numbers(policy_args, args[next_arg + policy_args.arg_count - 1])
      end
      -- A call that fails, for example on a key of another type, does not fail the others.
      local is_decided, reply = pcall(execute, policy_args, clock_ms, keys, next_key, args, next_arg, records)
      if not is_decided then
        for index = 1, #levels do
          levels[index].is_loaded = levels[index].is_charged
        end
        local failure = type(reply) == 'table' and reply.err or tostring(reply)
        -- A replica cannot charge. Clients switch to its primary if the command itself fails with this error.
        if string.sub(failure, 1, 8) == 'READONLY' then
          return redis.error_reply(failure)
        end
        reply = '-' .. string.gsub(failure, '\n', ' ')
      end
      replies[#replies + 1] = reply
      next_key = next_key + policy_args.key_count
      next_arg = next_arg + policy_args.arg_count
    end
    close_levels(true)
    -- Write request ids and reservations last, so that those that are stored were charged.
    if records then
      for key, text in pairs(records) do
        redis.call('SET', key, text, 'PX', policy_args.record_ttl_ms)
      end
    end
  end
  return table.concat(replies, '\n')
end
