-- Decides a batch of calls that may wait: each is admitted, refused, or gets a ticket of the queue.
--
-- KEYS
--   1..n   the nine keys of the queue, see queue.lua; they expire by themselves
--   n+1..  of each call of the batch, in order: the keys of decide.lua for the call on all levels, then for the call on the
--          caller's own levels, without a request id
-- ARGV
--   Of each group of consecutive calls with the same numbers and clock:
--   1      the numbers of the queue, separated by spaces: limit and window_ms of its level, max_length and max_wait_ms, the
--          most tickets of a caller and of a share, 0 without a maximum; then the node, which takes the lease if nothing waits
--   2      the number of calls in the group; then, in tests, a space and the clock in epoch ms
--   3..    of each call in order: owner, the pseudonym of the caller; group; share, whose tickets are counted together, or '';
--          the last part of the request id's key; the fingerprint of the request id's input; payload; the arguments of
--          decide.lua for the two calls of its keys
-- Reply: a list with a list for each call:
--   of a decision   `decided`, now, the reply of decide.lua, 1 if it is that on the own levels, 0 otherwise; then the
--                   time until the queue may have room, 0 if it has
--   of a ticket     `waiting` or `served`, now, then the fields of queue-mine.lua
--   of a conflict   `conflict`, now, `request` if the request id waits in another group, which charges nothing, or `tickets`
--                   if the caller has its most tickets, which charges the own levels
--
-- Atomic because a call is charged on the own levels only if it gets a ticket, and because no ticket may be behind one
-- that came later. The calls of a batch are decided one after the other, as if each were sent alone.

--- @include "queue.lua"
--- @include "decide-levels.lua"

local QUEUE_KEYS, CALL_ARGS = 9, 6
-- 2^52. A double holds it exactly.
local MAX_VERSION = 4503599627370496

local function is_refused(reply)
  return string.match(reply, '^%d+ (%d)') == '0'
end

-- Returns true if the call was refused by the level of the queue, and by no other level.
local function is_refused_by_queue(policy_args)
  local queued = policy_args.queued
  for index = 1, #policy_args.levels do
    local level = policy_args.levels[index]
    if level ~= queued and level.refuses and not level.shadow then
      return false
    end
  end
  return queued and queued.refuses and not queued.shadow
end

-- Call it only while tickets wait. Returns true if the level of the queue then refuses the call: it is enforced, takes part
-- in the call, and the request id was not charged before. The own levels decide then.
local function is_certainly_refused(policy_args, request_key)
  local queued = policy_args.queued
  return queued and not queued.shadow and not redis.call('GET', request_key)
end

-- Returns true if a ticket of the caller in another group has the request id of the call.
local function waits_elsewhere(queue, own_groups, id, call)
  local caller, group = split_id(id)
  for own in string.gmatch(own_groups, GROUP_PATTERN) do
    local text = own ~= group and redis.call('HGET', queue.tickets, caller .. own)
    if text and read_ticket(text).request == call.request then
      return true
    end
  end
  return false
end

-- Adds the ticket of `own` with these lines at the end, and returns its text and its sequence.
local function add_ticket(queue, head, own, group, lines)
  local sequence = redis.call('HINCRBY', queue.state, 'sequence', 1)
  if sequence == 1 then
    -- A later sequence than that of any ticket that Redis may have lost, and a lower version, by which pages see the loss.
    sequence = head.clock_ms
    redis.call('HSET', queue.state, 'sequence', head.now, 'version', instant_text(MAX_VERSION - sequence))
  end
  local sequence_text = string.format('%.0f', sequence)
  local text = sequence_text .. '\n' .. table.concat(lines, '\n')
  local is_first = own.waiting == 0
  redis.call('ZADD', queue.waiting, sequence_text, own.id)
  redis.call('ZADD', queue.groups, 0, group_member(group, sequence_text))
  redis.call('HSET', queue.tickets, own.id, text)
  if is_first then
    redis.call(
      'HSET',
      queue.state,
      'node',
      head.node,
      'until',
      head.now,
      'limit',
      head.limit,
      'window_ms',
      head.window_ms
    )
  end
  if is_first or sequence % 64 == 0 then
    for _, key in ipairs({ queue.waiting, queue.groups, queue.tickets, queue.state, queue.callers }) do
      redis.call('PEXPIRE', key, QUEUE_TTL_MS)
    end
  end
  return text, sequence_text
end

-- Returns the time until a new ticket may be within the bounds of the queue, 0 if it is now, and the bound of its turn. Its
-- share has a maximum only while more than half of the places are taken.
local function room_in_queue(queue, head, log, own)
  local waiting, turn_at = own.waiting, log.turn_at(own.waiting + 1)
  if redis.call('HGET', queue.state, 'closed') == '1' then
    return turn_at - head.clock_ms, turn_at
  end
  local too_many = waiting - head.max_length
  local too_long = too_many >= 0 and log.turn_at(too_many + 1) - head.clock_ms or 0
  local crowding = waiting - math.floor(head.max_length / 2)
  local is_crowded = crowding > 0 and head.max_of_share > 0 and own.of_share >= head.max_of_share
  local too_crowded = is_crowded and log.turn_at(crowding) - head.clock_ms or 0
  return math.max(0, too_long, too_crowded, turn_at - head.max_wait_ms - head.clock_ms), turn_at
end

-- Decodes the arguments of the call whose keys and arguments begin at first_key and first_arg, and finds where the next
-- call begins.
local function read_call(keys, args, first_key, first_arg)
  local owner, group, share, request, input, payload = unpack(args, first_arg, first_arg + CALL_ARGS - 1)
  local all_arg = first_arg + CALL_ARGS
  local all = get_policy_args(args[all_arg])
  local own_key, own_arg = first_key + all.key_count, all_arg + 2 + all.arg_count
  local own = get_policy_args(args[own_arg])
  return {
    owner = owner,
    group = group,
    share = share,
    request = request,
    input = input,
    payload = payload,
    keys = keys,
    args = args,
    all_key = first_key,
    all_arg = all_arg,
    own_key = own_key,
    own_arg = own_arg,
    next_key = own_key + own.key_count,
    next_arg = own_arg + 2 + own.arg_count
  }
end

local function decide_all(call)
  return decide(call.keys, call.args, call.all_key, call.all_arg, call.own_arg - 1)
end

local function decide_own(call)
  return decide(call.keys, call.args, call.own_key, call.own_arg, call.next_arg - 1)
end

-- Returns the reply to a caller who has a ticket. A call with another request id is charged on the own levels.
local function reply_with_known(queue, head, call, own, served)
  local known = read_ticket(own.text or (select(2, split_served(served))))
  local reply = known.request ~= call.request and decide_own(call)
  if reply and (string.sub(reply, 1, 1) == '-' or is_refused(reply)) then
    return { 'decided', head.now, reply, 1, 0 }
  end
  if not own.text then
    return { 'served', head.now, own.id, served }
  end
  local log = read_log(queue, head.limit, head.window_ms, head.clock_ms)
  local ticket = describe_waiting(queue, log, own.id, own.text)
  table.insert(ticket, 2, head.now)
  return ticket
end

local function has_group(groups, group)
  for one in string.gmatch(groups, GROUP_PATTERN) do
    if one == group then
      return true
    end
  end
  return false
end

-- Reads the number of waiting tickets, the caller's groups and ticket, and the number of tickets of its share. Rebuilds the
-- indexes if the count or the text is lost; the other scripts compare all sizes.
local function read_own(queue, id, share)
  local caller, group = split_id(id)
  local counted, groups, of_share = unpack(redis.call('HMGET', queue.callers, '#', 'c' .. caller, 's' .. share))
  local is_waiting, waiting = groups and has_group(groups, group), redis.call('ZCARD', queue.waiting)
  local text = is_waiting and redis.call('HGET', queue.tickets, id)
  if waiting ~= tonumber(counted or 0) or (is_waiting and not text) then
    rebuild_indexes(queue)
    return read_own(queue, id, share)
  end
  return { id = id, waiting = waiting, groups = groups or '', of_share = tonumber(of_share or 0), text = text }
end

local function join(queue, head, call)
  local now, id = head.now, ticket_id(call.owner, call.group)
  local own = read_own(queue, id, call.share)
  if waits_elsewhere(queue, own.groups, id, call) then
    return { 'conflict', now, 'request' }
  end
  local served = redis.call('HGET', queue.served, id)
  if own.text or served then
    return reply_with_known(queue, head, call, own, served)
  end
  local policy_args = get_policy_args(call.args[call.all_arg])
  local is_certain = own.waiting > 0 and is_certainly_refused(policy_args, call.keys[call.own_key - 1])
  local reply = not is_certain and decide_all(call)
  if reply and not (is_refused(reply) and is_refused_by_queue(policy_args)) then
    return { 'decided', now, reply, 0, 0 }
  end
  local log = read_log(queue, head.limit, head.window_ms, head.clock_ms)
  local wait_ms, turn_at = room_in_queue(queue, head, log, own)
  if wait_ms > 0 then
    reply = reply or decide_all(call)
    -- A refusal by an own level has the wait of that level.
    return { 'decided', now, reply, 0, is_refused_by_queue(policy_args) and wait_ms or 0 }
  end
  local own_reply = decide_own(call)
  if string.match(own_reply, '^%d+ (%d)') ~= '1' then
    return { 'decided', now, is_certain and decide_all(call) or own_reply, is_certain and 0 or 1, 0 }
  end
  if head.max_of_caller > 0 and #own.groups >= head.max_of_caller * GROUP_CHARACTERS then
    return { 'conflict', now, 'tickets' }
  end
  local promised = instant_text(turn_at)
  local lines = { now, promised, head.limit, head.window_ms, call.request, call.input, call.share, call.group }
  lines[#lines + 1] = call.payload
  local caller, group = split_id(id)
  local counts = { '#', own.waiting + 1, 'c' .. caller, own.groups .. group }
  if call.share ~= '' then
    counts[5], counts[6] = 's' .. call.share, own.of_share + 1
  end
  redis.call('HSET', queue.callers, unpack(counts))
  -- After its first count, because a key that does not exist gets no expiry.
  local text, sequence = add_ticket(queue, head, own, call.group, lines)
  return { 'waiting', now, id, text, own.waiting + 1, count_ahead(queue, call.group, sequence), promised }
end

local function join_batch(keys, args)
  local queue, replies = queue_of(keys), {}
  local next_key, next_arg = QUEUE_KEYS + 1, 1
  while next_arg <= #args do
    local limit, window_ms, max_length, max_wait_ms, max_of_caller, max_of_share, node =
      string.match(args[next_arg], '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
    local calls, callers_clock = string.match(args[next_arg + 1], '^(%d+) ?(%d*)$')
    local clock_ms = now_ms(callers_clock)
    local head = {
      limit = limit,
      window_ms = window_ms,
      max_length = tonumber(max_length),
      max_wait_ms = tonumber(max_wait_ms),
      max_of_caller = tonumber(max_of_caller),
      max_of_share = tonumber(max_of_share),
      node = node,
      clock_ms = clock_ms,
      now = instant_text(clock_ms)
    }
    next_arg = next_arg + 2
    for _ = 1, calls do
      local call = read_call(keys, args, next_key, next_arg)
      -- Both calls of decide.lua have the instant of the ticket.
      args[call.all_arg + 1], args[call.own_arg + 1] = '1 ' .. head.now, '1 ' .. head.now
      replies[#replies + 1] = join(queue, head, call)
      next_key, next_arg = call.next_key, call.next_arg
    end
  end
  return replies
end

return join_batch(KEYS, ARGV)
