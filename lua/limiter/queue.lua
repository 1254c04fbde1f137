-- The tickets of a queue.
--
-- A ticket has an id, from its caller and group: a caller has one ticket in each group. Its text has a line each: sequence,
-- joined and promised instant, limit and window of the promise, request id, fingerprint of the request's input, share, group;
-- the rest is the payload. All queue scripts have these keys first, with one hash tag:
--   log       the level's state, see sliding-log.lua
--   waiting   zset of ids, scored by their sequence: the order of the queue
--   groups    zset `group:sequence` without scores: the order in each group, by the first 8 characters of its SHA-1
--   tickets   hash: id -> text of the waiting tickets
--   served    hash: id -> instant and node of the charge, then the text; until the turn has ended
--   ended     hash: id -> state, detail, instant of the charge and of the end, then the text; `c` and a caller -> the groups of
--             its ended tickets; two, for an hour each
--   state     hash: `sequence`, `version`, `closed`, `node` and `until` of the lease; `seen:` and a node: its last call; the
--             last enforced `limit` and `window_ms`; the totals `total` of served tickets, `late` of those after their
--             promised instant, and `late_ms`, the most of one
--   callers   hash of what callers and shares have waiting: `c` and a caller -> the groups of its tickets, 12 characters
--             each; `s` and a share -> the number of its tickets; `#` -> the number of all tickets
-- The texts in `tickets` are what waits. `waiting`, `groups` and `callers` are indexes: if their sizes differ, Redis has lost a
-- key, for example by eviction, and the next script call writes them anew.

--- @include "../lib/now.lua"
--- @include "sliding-log.lua"
--- @include "queued-log.lua"

local HOUR_MS = 3600000
-- Longer than the longest wait. The queue of a policy without calls ends then.
local QUEUE_TTL_MS = 48 * HOUR_MS

local function queue_of(keys)
  local log, waiting, groups, tickets, served, ended_0, ended_1, state, callers = unpack(keys, 1, 9)
  return {
    log = log,
    waiting = waiting,
    groups = groups,
    tickets = tickets,
    served = served,
    ended = { [0] = ended_0, [1] = ended_1 },
    state = state,
    callers = callers
  }
end

-- The name of a group in ids: 48 bits of its SHA-1; and its pattern.
local GROUP_CHARACTERS, GROUP_PATTERN = 12, '%x%x%x%x%x%x%x%x%x%x%x%x'

-- Cached, because consecutive tickets mostly have one group.
local known_group, known_name, known_prefix
local function group_name(group)
  if group ~= known_group then
    local hash = redis.sha1hex(group)
    known_group, known_name = group, string.sub(hash, 1, GROUP_CHARACTERS)
    known_prefix = string.sub(hash, 1, 8) .. ':'
  end
  return known_name
end

-- Returns the first part of the members of a group, which its sequence follows.
local function group_prefix(group)
  group_name(group)
  return known_prefix
end

-- Returns the part of an owner in ids: 66 bits of its pseudonym, so that no two callers share it.
local function caller_of(owner)
  return string.sub(owner, 1, 11)
end

-- Returns the id of the ticket of a caller in a group.
local function ticket_id(owner, group)
  return caller_of(owner) .. group_name(group)
end

-- Splits an id into its caller and the name of its group.
local function split_id(id)
  return string.sub(id, 1, -GROUP_CHARACTERS - 1), string.sub(id, -GROUP_CHARACTERS)
end

-- Returns the start of a range of members after all those with a prefix.
local function after_group(prefix)
  return '(' .. string.sub(prefix, 1, -2) .. ';'
end

local function group_member(group, sequence)
  return group_prefix(group) .. sequence
end

-- Decodes the text of a ticket. Returns nil for any other text.
local function read_ticket(text)
  local sequence, joined, promised, limit, window_ms, request, input, share, group, payload =
    string.match(text, '^(%d+)\n(%d+)\n(%d+)\n(%d+)\n(%d+)\n([^\n]*)\n(%d+)\n([^\n]*)\n([^\n]*)\n(.*)$')
  return sequence and {
    sequence = sequence,
    joined = joined,
    promised = promised,
    limit = limit,
    window_ms = window_ms,
    request = request,
    input = input,
    share = share,
    group = group,
    payload = payload
  }
end

-- Returns the instant of the charge and the text of a served ticket.
local function split_served(served)
  return string.match(served, '^(%d+)\n[^\n]*\n(.*)$')
end

-- One log for all calls, because its functions take longer to create than to run.
local shared_log = {}
queued_log(shared_log)

-- Reads the log of the queue by the numbers in the arguments.
local function read_log(queue, limit, window_ms, clock_ms)
  local log = shared_log
  log.key = queue.log
  if log.limit ~= limit or log.window_ms ~= window_ms then
    log.limit, log.window_ms = limit, window_ms
    log.set_numbers(tonumber(limit), tonumber(window_ms))
  end
  log.load()
  log.read(clock_ms, 0)
  return log
end

-- Returns the number of waiting tickets before a ticket in its group.
local function count_ahead(queue, group, sequence)
  local prefix = group_prefix(group)
  return redis.call('ZLEXCOUNT', queue.groups, '[' .. prefix, '(' .. prefix .. sequence)
end

-- Returns a waiting ticket: `waiting`, id, text, position, tickets ahead in its group, and the bound of its turn.
local function describe_waiting(queue, log, id, text)
  local ticket = read_ticket(text)
  local position = redis.call('ZRANK', queue.waiting, id) + 1
  local ahead = count_ahead(queue, ticket.group, ticket.sequence)
  return { 'waiting', id, text, position, ahead, instant_text(log.turn_at(position)) }
end

-- Returns the hash of tickets that end now. Each of the two is used every second hour, and emptied before.
local function open_ended(queue, clock_ms)
  local hour = math.floor(clock_ms / HOUR_MS)
  local key = queue.ended[hour % 2]
  local of_hour = instant_text(hour)
  if redis.call('HGET', key, '#') ~= of_hour then
    redis.call('DEL', key)
    redis.call('HSET', key, '#', of_hour)
    redis.call('PEXPIRE', key, 2 * HOUR_MS)
  end
  return key
end

-- Returns the text of an ended ticket. The detail is one line.
local function ended_text(state, detail, served_at, clock_ms, text)
  return table.concat({ state, detail, served_at, instant_text(clock_ms), text }, '\n')
end

-- Stores tickets that end now: their ids, each followed by its text, at most 200.
local function end_tickets(queue, clock_ms, ended)
  local key, fields, groups = open_ended(queue, clock_ms), {}, {}
  for index = 1, #ended, 2 do
    local caller, group = split_id(ended[index])
    local field = 'c' .. caller
    if not groups[field] then
      fields[#fields + 1], groups[field] = field, ''
    end
    groups[field] = groups[field] .. group
  end
  local indexes = {}
  for index, stored in ipairs(redis.call('HMGET', key, unpack(fields))) do
    local field, known = fields[index], stored or ''
    for group in string.gmatch(groups[field], GROUP_PATTERN) do
      known = string.find(known, group, 1, true) and known or known .. group
    end
    indexes[#indexes + 1], indexes[#indexes + 2] = field, known
  end
  redis.call('HSET', key, unpack(ended))
  redis.call('HSET', key, unpack(indexes))
end

-- Writes fields of the callers. An empty or zero value deletes its field.
local function write_callers(queue, values)
  local set, deleted = {}, {}
  for field, value in pairs(values) do
    if value == '' or value == 0 then
      deleted[#deleted + 1] = field
    else
      set[#set + 1], set[#set + 2] = field, value
    end
  end
  if #set > 0 then
    redis.call('HSET', queue.callers, unpack(set))
  end
  if #deleted > 0 then
    redis.call('HDEL', queue.callers, unpack(deleted))
  end
end

-- Removes tickets from the counts of their callers and shares.
local function uncount_tickets(queue, removed)
  local fields, values = { '#' }, { ['#'] = 0 }
  for _, one in ipairs(removed) do
    local caller, share = 'c' .. split_id(one.id), 's' .. one.ticket.share
    if not values[caller] then
      fields[#fields + 1], values[caller] = caller, ''
    end
    if share ~= 's' and not values[share] then
      fields[#fields + 1], values[share] = share, 0
    end
  end
  for index, stored in ipairs(redis.call('HMGET', queue.callers, unpack(fields))) do
    values[fields[index]] = stored or values[fields[index]]
  end
  values['#'] = tonumber(values['#']) - #removed
  for _, one in ipairs(removed) do
    local caller, group = split_id(one.id)
    local own, share = 'c' .. caller, 's' .. one.ticket.share
    values[own] = values[own] == group and '' or string.gsub(values[own], GROUP_PATTERN, { [group] = '' })
    if share ~= 's' then
      values[share] = tonumber(values[share]) - 1
    end
  end
  write_callers(queue, values)
end

-- Removes waiting tickets from the queue. Each has an id and its decoded ticket.
local function remove_waiting(queue, removed)
  local ids, members = {}, {}
  for index, one in ipairs(removed) do
    ids[index] = one.id
    members[index] = group_member(one.ticket.group, one.ticket.sequence)
  end
  redis.call('ZREM', queue.waiting, unpack(ids))
  redis.call('ZREM', queue.groups, unpack(members))
  redis.call('HDEL', queue.tickets, unpack(ids))
  uncount_tickets(queue, removed)
end

-- Writes the indexes anew from the texts, and removes texts that cannot be read.
local function rebuild_indexes(queue)
  redis.call('DEL', queue.waiting, queue.groups, queue.callers)
  local stored, values, count = redis.call('HGETALL', queue.tickets), {}, 0
  for index = 1, #stored, 2 do
    local id, ticket = stored[index], read_ticket(stored[index + 1])
    if ticket then
      local caller, group = split_id(id)
      local own, share = 'c' .. caller, 's' .. ticket.share
      redis.call('ZADD', queue.waiting, ticket.sequence, id)
      redis.call('ZADD', queue.groups, 0, group_member(ticket.group, ticket.sequence))
      values[own] = (values[own] or '') .. group
      values[share] = share ~= 's' and (values[share] or 0) + 1 or nil
      count = count + 1
    else
      redis.call('HDEL', queue.tickets, id)
    end
  end
  for field, value in pairs(values) do
    redis.call('HSET', queue.callers, field, value)
  end
  if count > 0 then
    redis.call('HSET', queue.callers, '#', count)
  end
  redis.call('HINCRBY', queue.state, 'version', 1)
  for _, key in ipairs({ queue.waiting, queue.groups, queue.callers, queue.state }) do
    redis.call('PEXPIRE', key, QUEUE_TTL_MS)
  end
end

-- Returns the number of waiting tickets. Rebuilds the indexes first if Redis has lost a key of the queue.
local function count_waiting(queue)
  local waiting = redis.call('ZCARD', queue.waiting)
  if
    waiting == redis.call('HLEN', queue.tickets)
    and waiting == redis.call('ZCARD', queue.groups)
    and waiting == tonumber(redis.call('HGET', queue.callers, '#') or 0)
  then
    return waiting
  end
  rebuild_indexes(queue)
  return redis.call('ZCARD', queue.waiting)
end
