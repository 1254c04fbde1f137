-- Reads tickets of a caller, and the state of a queue.
--
-- KEYS
--   1..n   the nine keys of the queue, see queue.lua; only read, unless Redis has lost one
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2 3    limit and window_ms of the queue's level
--   4      owner: the pseudonym of the caller
--   5      the number of groups, or `all`
--   6..    groups, then ticket ids as `id.sequence`
-- Reply, a list: now, the number of waiting tickets, the bounds of the first and the last turn or 0, the number of
--   unfinished turns, version, 1 if closed, the numbers of served and of late tickets, and the most ms that one was late; then
--   a list of each ticket of the caller, with `all` in the order of joining:
--     waiting   `waiting`, id, text, position, tickets ahead in its group, the bound of its turn
--     served    `served`, id, instant and node of the charge and text
--     ended     `ended`, id, state, detail, instant of the charge and of the end, and text
--   An id that is not a ticket of the caller is `lost`, id.sequence; a group without a ticket has none.
--
-- Atomic because a ticket that is served between two reads would be in neither of them.

--- @include "queue.lua"

local clock, limit, window_ms, owner, group_count = unpack(ARGV, 1, 5)
local queue, clock_ms = queue_of(KEYS), now_ms(clock)
local log = read_log(queue, limit, window_ms, clock_ms)
local waiting = count_waiting(queue)

-- Returns a ticket by its id, and its text; nil if there is none.
local function find_ticket(id)
  local text = redis.call('HGET', queue.tickets, id)
  if text then
    return describe_waiting(queue, log, id, text), text
  end
  local served = redis.call('HGET', queue.served, id)
  if served then
    return { 'served', id, served }, select(2, split_served(served))
  end
  local hour = math.floor(clock_ms / HOUR_MS)
  for _, key in ipairs({ queue.ended[hour % 2], queue.ended[(hour + 1) % 2] }) do
    local ended = redis.call('HGET', key, id)
    local ended_at, ended_text = string.match(ended or '', '^[^\n]*\n[^\n]*\n%d*\n(%d+)\n(.*)$')
    if ended_at and tonumber(ended_at) > clock_ms - HOUR_MS then
      return { 'ended', id, ended }, ended_text
    end
  end
end

local version, closed, total, late, late_ms =
  unpack(redis.call('HMGET', queue.state, 'version', 'closed', 'total', 'late', 'late_ms'))
local reply = {
  instant_text(clock_ms),
  waiting,
  waiting > 0 and instant_text(log.turn_at(1)) or '0',
  waiting > 0 and instant_text(log.turn_at(waiting)) or '0',
  redis.call('HLEN', queue.served),
  tonumber(version or 0),
  closed == '1' and 1 or 0,
  tonumber(total or 0),
  tonumber(late or 0),
  tonumber(late_ms or 0)
}

-- Appends the tickets of the caller that wait, whose turns run, or that have ended.
local function append_own()
  local caller, names, known, found = caller_of(owner), '', {}, {}
  for _, key in ipairs({ queue.callers, queue.ended[0], queue.ended[1] }) do
    names = names .. (redis.call('HGET', key, 'c' .. caller) or '')
  end
  for _, id in ipairs(redis.call('HKEYS', queue.served)) do
    local served_caller, name = split_id(id)
    names = names .. (served_caller == caller and name or '')
  end
  for name in string.gmatch(names, GROUP_PATTERN) do
    local ticket, text = nil, nil
    if not known[name] then
      ticket, text = find_ticket(caller .. name)
    end
    known[name] = true
    if ticket then
      found[#found + 1] = { ticket = ticket, sequence = tonumber(string.match(text, '^%d+')) }
    end
  end
  table.sort(found, function(one, other)
    return one.sequence < other.sequence
  end)
  for _, one in ipairs(found) do
    reply[#reply + 1] = one.ticket
  end
end

local first_id = 6
if group_count == 'all' then
  append_own()
else
  first_id = 6 + group_count
  for index = 6, first_id - 1 do
    reply[#reply + 1] = find_ticket(ticket_id(owner, ARGV[index]))
  end
end
for index = first_id, #ARGV do
  local id, sequence = string.match(ARGV[index], '^(.+)%.(%d+)$')
  local ticket, text = nil, nil
  if id then
    ticket, text = find_ticket(id)
  end
  local found = text and read_ticket(text)
  local is_own = found and found.sequence == sequence and ticket_id(owner, found.group) == id
  reply[#reply + 1] = is_own and ticket or { 'lost', ARGV[index] }
end
return reply
