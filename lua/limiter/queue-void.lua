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

local function void_ticket(id, ticket, text)
  remove_waiting(queue, { id }, { group_member(ticket.group, ticket.sequence) })
  redis.call('HSET', open_ended(queue, clock_ms), id, ended_text('void', reason, '', clock_ms, text))
  ended = ended + 1
end

-- Returns the ids of tickets by their members of a group; '' for one that does not wait.
local function find_ids(members, prefix)
  local ids = {}
  for index, member in ipairs(members) do
    local sequence = string.sub(member, #prefix + 1)
    ids[index] = redis.call('ZRANGEBYSCORE', queue.waiting, sequence, sequence)[1] or ''
  end
  return ids
end

-- Ends the next waiting tickets of a group, and removes those whose text is lost. Returns the member to continue after.
local function void_group(group)
  local prefix = group_prefix(group)
  local first = after == '' and '[' .. prefix or '(' .. after
  local members = redis.call('ZRANGEBYLEX', queue.groups, first, after_group(prefix), 'LIMIT', 0, MAX_IN_CALL)
  if #members == 0 then
    return ''
  end
  local ids = find_ids(members, prefix)
  local texts = redis.call('HMGET', queue.tickets, unpack(ids))
  local gone_ids, gone_members, ended_texts = {}, {}, {}
  for index, id in ipairs(ids) do
    local text = texts[index]
    local ticket = text and read_ticket(text)
    if not ticket or ticket.group == group then
      gone_ids[#gone_ids + 1], gone_members[#gone_members + 1] = id, members[index]
    end
    if ticket and ticket.group == group then
      ended_texts[#ended_texts + 1] = id
      ended_texts[#ended_texts + 1] = ended_text('void', reason, '', clock_ms, text)
    end
  end
  if #gone_ids > 0 then
    remove_waiting(queue, gone_ids, gone_members)
  end
  if #ended_texts > 0 then
    redis.call('HSET', open_ended(queue, clock_ms), unpack(ended_texts))
    ended = ended + #ended_texts / 2
  end
  return #members == MAX_IN_CALL and members[#members] or ''
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
      first = after_group(string.sub(member, 1, 9))
      local id = ticket_id(owner, read_ticket(first_text).group)
      local text = redis.call('HGET', queue.tickets, id)
      if text then
        void_ticket(id, read_ticket(text), text)
      end
    end
  end
end

local continues_after = ''
if kind == 'ticket' then
  local id, sequence = string.match(named, '^(%x+)%.(%d+)$')
  local text = id and redis.call('HGET', queue.tickets, id)
  local ticket = text and read_ticket(text)
  if ticket and ticket.sequence == sequence and ticket_id(target, ticket.group) == id then
    void_ticket(id, ticket, text)
  end
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
