-- The body of decide.lua and reference/decide.lua, which differ in the log they include.
--
-- As a function of Redis all of this is made once, when it is loaded, and so is what calls have in common, when it is
-- first heard of; as a script it is made anew each time. So an algorithm is one function, and gives a level its own only
-- where some policy has that level:
--   load()                   reads the state of the level's key
--   read(clock_ms, cost)     what that state says to a call: now, used, retry_after_ms, reset_ms (and delay_ms)
--   charge(clock_ms, cost)   counts the call that was read, and says the same of the state after it
--   save()                   writes the state
--   hits(most)               where it knows hits
-- A call writes over what the last one left. Calls that follow each other on one key, as those of a flood do on the window
-- of everybody, share what was loaded; it is saved when they are over.

--- @include "instant.lua"
--- @include "punishment.lua"

local algorithms = {
  ['sliding-log'] = sliding_log,
  ['sliding-counter'] = sliding_counter,
  ['fixed-window'] = fixed_window,
  ['token-bucket'] = token_bucket,
  ['leaky-bucket'] = leaky_bucket
}

local function read_terms(text)
  local terms = cjson.decode(text)
  local punishing = {}
  for _, level in ipairs(terms.levels) do
    level.delay_ms = 0
    algorithms[level.algorithm](level)
    if level.punishment then
      punishing[#punishing + 1] = level
    end
  end
  terms.punishing = punishing
  terms.arg_count = #punishing + (terms.request_ttl_ms and 1 or 0)
  terms.key_count = #terms.levels + (punishing[1] and #punishing + 1 or 0) + (terms.request_ttl_ms and 2 or 0)
  return terms
end

-- Far more than the policies of a product; each limit that an operator tries adds one.
local MOST_KNOWN = 256
local known, known_count = {}, 0

-- What calls have in common, by its text.
local function terms_of(text)
  local terms = known[text]
  if not terms then
    if known_count == MOST_KNOWN then
      known, known_count = {}, 0
    end
    terms = read_terms(text)
    known[text], known_count = terms, known_count + 1
  end
  return terms
end

-- The levels whose calls are being decided; still set where an error has ended the last script before its time.
local open_levels

-- What was loaded is good for one run: others write to the same keys.
local function close_levels(saves)
  for place = 1, #open_levels do
    local level = open_levels[place]
    if saves and level.is_charged then
      level.save()
    end
    level.key, level.is_loaded, level.is_charged = nil, false, false
  end
  open_levels = nil
end

-- Gives each level its key of the call whose keys begin there, and saves what was charged to another. An error in here is
-- one of the whole script, as it concerns calls that were decided before.
local function turn_to(levels, keys, first_key)
  for place = 1, #levels do
    local level, key = levels[place], keys[first_key + place - 1]
    if level.key ~= key then
      if level.is_charged then
        level.save()
        level.is_charged = false
      end
      level.key, level.is_loaded = key, false
    end
  end
end

-- Whether the start of a call depends on this level.
local function is_queue(level)
  return level.algorithm == 'leaky-bucket' and not level.shadow
end

-- What is stored of a request id that is charged at this instant.
local function charged_id(levels, input, clock_ms)
  local start_ms
  for place = 1, #levels do
    if is_queue(levels[place]) then
      start_ms = math.max(start_ms or 0, clock_ms + levels[place].delay_ms)
    end
  end
  return start_ms and input .. ' ' .. instant_text(start_ms) or input
end

-- What is stored of a request id, or nothing where it was not charged. A former release stored no input.
local function read_charged_id(request_key, former_key, input)
  local charged = redis.call('GET', request_key)
  if not charged and former_key ~= request_key and redis.call('EXISTS', former_key) == 1 then
    return input
  end
  return charged
end

-- Gives a replay the start of the charged call; the input of that call.
local function replay_id(levels, charged, clock_ms)
  local input, start_ms = string.match(charged, '^(%d+) ?(%d*)$')
  start_ms = tonumber(start_ms)
  for place = 1, start_ms and #levels or 0 do
    if is_queue(levels[place]) then
      levels[place].delay_ms = math.max(0, start_ms - clock_ms)
    end
  end
  return input
end

-- Decides the call whose keys and arguments begin there; its reply.
local function decide_call(terms, clock_ms, keys, first_key, args, first_arg, charged_ids)
  local levels, punishing = terms.levels, terms.punishing
  local level_count, punishing_count = #levels, #punishing
  for place = 1, punishing_count do
    local punishment = punishing[place].punishment
    punishment.key = keys[first_key + level_count + place - 1]
    punishment.member = args[first_arg + place - 1]
  end
  local bans_key = punishing_count > 0 and keys[first_key + level_count + punishing_count]
  local request_key = terms.request_ttl_ms and keys[first_key + terms.key_count - 2]
  local former_key = keys[first_key + terms.key_count - 1]

  local request_input = args[first_arg + punishing_count]
  local charged = request_key
    and (charged_ids[request_key] or read_charged_id(request_key, former_key, request_input))
  local cost = charged and 0 or terms.cost

  -- Read all.
  local now, admitted, is_banned = clock_ms, true, false
  for place = 1, level_count do
    local level = levels[place]
    if not level.is_loaded then
      level.load()
      level.is_loaded = true
    end
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
      local level = levels[place]
      if not level.refuses then
        level.charge(clock_ms, cost)
        level.is_charged = true
      end
    end
    if request_key then
      charged_ids[request_key] = charged_id(levels, request_input, clock_ms)
    end
  end
  for place = 1, punishing_count do
    local punishment = punishing[place].punishment
    if punishment.is_due and not is_banned then
      count_violation(punishment, clock_ms, bans_key)
    end
  end

  local replayed = 0
  if charged then
    replayed = replay_id(levels, charged, clock_ms) == request_input and 1 or 2
  end

  local reply = instant_text(now) .. (admitted and ' 1 ' .. replayed or ' 0 0')
  for place = 1, level_count do
    local level = levels[place]
    local retry_after_ms, punishment = level.retry_after_ms, level.punishment
    if punishment then
      retry_after_ms = math.max(retry_after_ms, punishment.banned_until - clock_ms)
    end
    reply = reply
      .. (level.refuses and ' 1 ' or ' 0 ')
      .. level.used
      .. ' '
      .. (retry_after_ms > 0 and retry_after_ms or '0')
      .. ' '
      .. level.reset_ms
      .. ' '
      .. (level.delay_ms > 0 and level.delay_ms or '0')
  end
  for place = 1, punishing_count do
    local punishment = punishing[place].punishment
    reply = reply .. ' ' .. punishment.violations .. ' ' .. instant_text(punishment.banned_until)
  end
  if terms.hits > 0 then
    for place = 1, level_count do
      local level = levels[place]
      local hits = level.hits and level.hits(terms.hits) or {}
      local shown = { #hits }
      for rank = 1, #hits do
        shown[rank + 1] = instant_text(hits[rank])
      end
      reply = reply .. ' ' .. table.concat(shown, ' ')
    end
  end
  return reply
end

local function decide(keys, args)
  local replies = {}
  local store_ms
  local next_key, next_arg = 1, 1
  if open_levels then
    close_levels(false)
  end
  while next_arg <= #args do
    local terms = terms_of(args[next_arg])
    local clock_ms, calls = tonumber(args[next_arg + 1]), tonumber(args[next_arg + 2])
    -- One instant for all calls that come together, unless they bring their own.
    if not clock_ms then
      store_ms = store_ms or now_ms('')
      clock_ms = store_ms
    end
    next_arg = next_arg + 3
    local levels, charged_ids = terms.levels, terms.request_ttl_ms and {}
    open_levels = levels
    for _ = 1, calls do
      turn_to(levels, keys, next_key)
      -- A call that fails, by a key of another type, takes no other with it.
      local is_decided, reply = pcall(decide_call, terms, clock_ms, keys, next_key, args, next_arg, charged_ids)
      if not is_decided then
        for place = 1, #levels do
          levels[place].is_loaded = levels[place].is_charged
        end
        local failure = type(reply) == 'table' and reply.err or tostring(reply)
        -- A replica charges nobody. Clients leave it for its primary where they hear of it as an error of the command.
        if string.sub(failure, 1, 8) == 'READONLY' then
          return redis.error_reply(failure)
        end
        reply = '-' .. failure
      end
      replies[#replies + 1] = reply
      next_key = next_key + terms.key_count
      next_arg = next_arg + terms.arg_count
    end
    close_levels(true)
    -- Request ids come last: one that is known was charged.
    if charged_ids then
      for request_key, charged in pairs(charged_ids) do
        redis.call('SET', request_key, charged, 'PX', terms.request_ttl_ms)
      end
    end
  end
  return replies
end
