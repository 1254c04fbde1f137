-- Ends waiting tickets before their turn, or closes or opens the queue for new ones.
--
-- KEYS
--   1..n   the nine keys of the queue, see queue.lua; they expire by themselves
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2      `ticket`, `group`, `owner`, `close` or `open`
--   3      target: the owner of `ticket` and `owner`, the group of `group`; '' otherwise
--   4      of `ticket` its id as `id.sequence`; '' otherwise
--   5      the reason, one line
--   6      of `group` the member after which the call continues, '' to begin; '' otherwise
-- Reply, a list: the number of ended tickets; the member after which another call of `group` continues, '' at the end
--
-- Atomic because a ticket ends once: at its turn or before. A call ends at most 200 tickets of a group, the first ones first,
-- so that it does not block Redis for longer than a few milliseconds.

--- @include "queue.lua"

local clock, kind, target, named, reason, after = unpack(ARGV, 1, 6)
local queue, clock_ms = queue_of(KEYS), now_ms(clock)
local ended = 0
local MAX_IN_CALL = 200

local function void_tickets(tickets)
  if #tickets == 0 then
    return
  end
  local texts = {}
  for _, one in ipairs(tickets) do
    texts[#texts + 1] = one.id
    texts[#texts + 1] = ended_text('void', reason, '', clock_ms, one.text)
  end
  remove_waiting(queue, tickets)
  end_tickets(queue, clock_ms, texts)
  ended = ended + #tickets
end

-- Returns the tickets with these ids.
local function read_tickets(ids)
  local tickets = {}
  for index, text in ipairs(#ids > 0 and redis.call('HMGET', queue.tickets, unpack(ids)) or {}) do
    tickets[index] = { id = ids[index], text = text, ticket = read_ticket(text) }
  end
  return tickets
end

-- Ends the next waiting tickets of a group. Returns the member to continue after. Two groups may have one prefix.
local function void_group(group)
  local prefix = group_prefix(group)
  local first = after == '' and '[' .. prefix or '(' .. after
  local members = redis.call('ZRANGEBYLEX', queue.groups, first, after_group(prefix), 'LIMIT', 0, MAX_IN_CALL)
  local ids = {}
  for _, member in ipairs(members) do
    local sequence = string.sub(member, #prefix + 1)
    ids[#ids + 1] = redis.call('ZRANGEBYSCORE', queue.waiting, sequence, sequence)[1]
  end
  local of_group = {}
  for _, one in ipairs(read_tickets(ids)) do
    of_group[#of_group + 1] = one.ticket.group == group and one or nil
  end
  void_tickets(of_group)
  return #members == MAX_IN_CALL and members[#members] or ''
end

-- Ends the tickets of a caller.
local function void_owner(owner)
  local ids, caller = {}, caller_of(owner)
  for group in string.gmatch(redis.call('HGET', queue.callers, 'c' .. caller) or '', GROUP_PATTERN) do
    ids[#ids + 1] = caller .. group
  end
  void_tickets(read_tickets(ids))
end

-- Ends a ticket of a caller, by its id as `id.sequence`.
local function void_named(owner)
  local id, sequence = string.match(named, '^(.+)%.(%d+)$')
  local text = id and redis.call('HGET', queue.tickets, id)
  local ticket = text and read_ticket(text)
  if ticket and ticket.sequence == sequence and ticket_id(owner, ticket.group) == id then
    void_tickets({ { id = id, text = text, ticket = ticket } })
  end
end

count_waiting(queue)
local continues_after = ''
if kind == 'ticket' then
  void_named(target)
elseif kind == 'group' then
  continues_after = void_group(target)
elseif kind == 'owner' then
  void_owner(target)
else
  redis.call('HSET', queue.state, 'closed', kind == 'close' and 1 or 0)
  redis.call('PEXPIRE', queue.state, QUEUE_TTL_MS)
end
if ended > 0 or kind == 'close' or kind == 'open' then
  redis.call('HINCRBY', queue.state, 'version', 1)
end
return { ended, continues_after }
