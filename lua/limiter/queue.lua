-- The tickets of a queue.
--
-- A ticket has an id, from its caller and group: a caller has one ticket in each group. Its text has a line each: sequence,
-- joined and promised instant, limit and window of the promise, request id, fingerprint of the request's input, group;
-- the rest is the payload. All queue scripts have these keys first, with one hash tag:
--   log       the level's state, see sliding-log.lua
--   waiting   zset of ids, scored by their sequence: the order of the queue
--   groups    zset `group:sequence` without scores: the order in each group, by the first 8 characters of its SHA-1
--   tickets   hash: id -> text of the waiting tickets
--   served    hash: id -> instant and node of the charge, then the text; until the turn has ended
--   ended     hash: id -> state, detail, instant of the charge and of the end, then the text; two, for an hour each
--   state     hash: `sequence`, `version`, `closed`, `node` and `until` of the lease; `seen:` and a node: its last call; the
--             last enforced `limit` and `window_ms`; the totals `total` of served tickets, `late` of those after their
--             promised instant, and `late_ms`, the most of one

--- @include "../lib/now.lua"
--- @include "sliding-log.lua"
--- @include "queued-log.lua"

local HOUR_MS = 3600000
-- Longer than the longest wait. The queue of a policy without calls ends then.
local QUEUE_TTL_MS = 48 * HOUR_MS

local function queue_of(keys)
  local log, waiting, groups, tickets, served, ended_0, ended_1, state = unpack(keys, 1, 8)
  return {
    log = log,
    waiting = waiting,
    groups = groups,
    tickets = tickets,
    served = served,
    ended = { [0] = ended_0, [1] = ended_1 },
    state = state
  }
end

-- Returns the id of the ticket of a caller in a group.
local function ticket_id(owner, group)
  return string.sub(redis.sha1hex(owner .. ':' .. group), 1, 16)
end

-- Returns the first part of the members of a group, which its sequence follows. Cached, because consecutive tickets mostly
-- have one group.
local known_group, known_prefix
local function group_prefix(group)
  if group ~= known_group then
    known_group, known_prefix = group, string.sub(redis.sha1hex(group), 1, 8) .. ':'
  end
  return known_prefix
end

-- Returns the start of a range of members after all those with a prefix.
local function after_group(prefix)
  return '(' .. string.sub(prefix, 1, -2) .. ';'
end

local function group_member(group, sequence)
  return group_prefix(group) .. sequence
end

-- Decodes the text of a ticket.
local function read_ticket(text)
  local sequence, joined, promised, limit, window_ms, request, input, group, payload =
    string.match(text, '^(%d+)\n(%d+)\n(%d+)\n(%d+)\n(%d+)\n([^\n]*)\n(%d+)\n([^\n]*)\n(.*)$')
  return {
    sequence = sequence,
    joined = joined,
    promised = promised,
    limit = limit,
    window_ms = window_ms,
    request = request,
    input = input,
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

-- Returns a ticket at a position: `waiting`, id, text, position, tickets ahead in its group, and the bound of its turn.
local function describe_at(queue, id, text, position, turn_at, prefix, sequence)
  local ahead = redis.call('ZLEXCOUNT', queue.groups, '[' .. prefix, '(' .. prefix .. sequence)
  return { 'waiting', id, text, position, ahead, instant_text(turn_at) }
end

-- Returns a waiting ticket like `describe_at`.
local function describe_waiting(queue, log, id, text)
  local ticket = read_ticket(text)
  local position = redis.call('ZRANK', queue.waiting, id) + 1
  local prefix = group_prefix(ticket.group)
  return describe_at(queue, id, text, position, log.turn_at(position), prefix, ticket.sequence)
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

-- Removes waiting tickets from the queue, by their ids and their members of the groups.
local function remove_waiting(queue, ids, members)
  redis.call('ZREM', queue.waiting, unpack(ids))
  redis.call('ZREM', queue.groups, unpack(members))
  redis.call('HDEL', queue.tickets, unpack(ids))
end
