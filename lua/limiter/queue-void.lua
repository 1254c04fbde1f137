-- Ends waiting tickets before their turn, or closes or opens the queue for new ones.
--
-- KEYS
--   1..n   the eight keys of the queue, see queue.lua; they expire by themselves
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2      `ticket`, `group`, `owner`, `close` or `open`
--   3      target: the owner of `ticket` and `owner`, the group of `group`; '' otherwise
--   4      of `ticket` its id as `id.sequence`; '' otherwise
--   5      the reason, one line
-- Reply: the number of ended tickets
--
-- Atomic because a ticket ends once: at its turn or before.

--- @include "queue.lua"

local clock, kind, target, named, reason = unpack(ARGV, 1, 5)
local queue, clock_ms = queue_of(KEYS), now_ms(clock)
local ended = 0
-- `unpack` takes at most about 8,000 values.
local MAX_IN_COMMAND = 1000

local function void_ticket(id, ticket, text)
  remove_waiting(queue, { id }, { group_member(ticket.group, ticket.sequence) })
  redis.call('HSET', open_ended(queue, clock_ms), id, ended_text('void', reason, '', clock_ms, text))
  ended = ended + 1
end

-- Ends all waiting tickets of a group, 1,000 in each command: one command for each ticket would block Redis.
local function void_group(group)
  local start = group_member(group, '')
  if redis.call('ZLEXCOUNT', queue.groups, '[' .. start, '(' .. string.sub(start, 1, -2) .. ';') == 0 then
    return
  end
  local waiting = redis.call('ZCARD', queue.waiting)
  local found = {}
  for first = 0, waiting - 1, MAX_IN_COMMAND do
    local ids = redis.call('ZRANGE', queue.waiting, first, first + MAX_IN_COMMAND - 1)
    local texts = redis.call('HMGET', queue.tickets, unpack(ids))
    local chunk = { ids = {}, members = {}, ended = {} }
    for index, id in ipairs(ids) do
      local text = texts[index]
      local ticket = text and read_ticket(text)
      if ticket and ticket.group == group then
        local ended_ticket = ended_text('void', reason, '', clock_ms, text)
        chunk.ids[#chunk.ids + 1] = id
        chunk.members[#chunk.members + 1] = group_member(group, ticket.sequence)
        chunk.ended[#chunk.ended + 1], chunk.ended[#chunk.ended + 2] = id, ended_ticket
      end
    end
    found[#found + 1] = #chunk.ids > 0 and chunk or nil
  end
  for _, chunk in ipairs(found) do
    remove_waiting(queue, chunk.ids, chunk.members)
    redis.call('HSET', open_ended(queue, clock_ms), unpack(chunk.ended))
    ended = ended + #chunk.ids
  end
end

-- Ends the tickets of a caller: at most one in each group. The first ticket of a group names the group.
local function void_owner(owner)
  local first = '-'
  while true do
    local member = redis.call('ZRANGEBYLEX', queue.groups, first, '+', 'LIMIT', 0, 1)[1]
    if not member then
      return
    end
    local sequence = string.match(member, ':(%d+)$')
    local first_id = redis.call('ZRANGEBYSCORE', queue.waiting, sequence, sequence)[1]
    local first_text = first_id and redis.call('HGET', queue.tickets, first_id)
    if not first_text then
      -- Its ticket was lost.
      redis.call('ZREM', queue.groups, member)
    else
      first = '(' .. string.sub(member, 1, 8) .. ';'
      local id = ticket_id(owner, read_ticket(first_text).group)
      local text = redis.call('HGET', queue.tickets, id)
      if text then
        void_ticket(id, read_ticket(text), text)
      end
    end
  end
end

if kind == 'ticket' then
  local id, sequence = string.match(named, '^(%x+)%.(%d+)$')
  local text = id and redis.call('HGET', queue.tickets, id)
  local ticket = text and read_ticket(text)
  if ticket and ticket.sequence == sequence and ticket_id(target, ticket.group) == id then
    void_ticket(id, ticket, text)
  end
elseif kind == 'group' then
  void_group(target)
elseif kind == 'owner' then
  void_owner(target)
else
  redis.call('HSET', queue.state, 'closed', kind == 'close' and 1 or 0)
  redis.call('PEXPIRE', queue.state, QUEUE_TTL_MS)
end
if ended > 0 or kind == 'close' or kind == 'open' then
  redis.call('HINCRBY', queue.state, 'version', 1)
end
return ended
