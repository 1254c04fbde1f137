-- Decides a call that may wait: it is admitted, refused, or gets a ticket of the queue.
--
-- KEYS
--   1..n   the eight keys of the queue, see queue.lua; they expire by themselves
--   n+1..  the keys of decide.lua for the call on all levels, then for the call on the caller's own levels, without a
--          request id
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2      owner: the pseudonym of the caller
--   3      group
--   4      the last part of the request id's key
--   5      the fingerprint of the request id's input
--   6 7    limit and window_ms of the queue's level
--   8 9    max_length and max_wait_ms of the queue
--   10     node, takes the lease if nothing waits
--   11     payload
--   12 13  the numbers of keys and arguments of the first call
--   14..   the arguments of decide.lua for the first call, then for the second
-- Reply, a list:
--   of a decision   `decided`, now, the reply of decide.lua, 1 if it is that on the own levels, 0 otherwise; then the
--                   time until the queue may have room, 0 if it has
--   of a ticket     `waiting` or `served`, now, then the fields of queue-mine.lua
--
-- Atomic because the call is charged on the own levels only if it gets a ticket, and because no ticket may be behind one
-- that came later.

--- @include "queue.lua"
--- @include "sliding-counter.lua"
--- @include "fixed-window.lua"
--- @include "token-bucket.lua"
--- @include "leaky-bucket.lua"
--- @include "in-flight.lua"
--- @include "decide-levels.lua"

local QUEUE_KEYS, FIRST_ARG = 8, 14
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

-- Returns true if the queue's level refuses a call because tickets wait, so only the own levels decide: not a replay, and
-- without punishments, which count each decision. A call whose node judges that it needs no place lacks the level.
local function is_refused_by_waiting(policy_args, keys, last_key)
  local queued = policy_args.queued
  return queued
    and not queued.shadow
    and #policy_args.punishing == 0
    and not read_charged_id(keys[last_key - 1], keys[last_key], '')
end

-- Adds a ticket at the end, and returns its text and its sequence.
local function add_ticket(queue, id, ticket, prefix, clock_ms, node, is_first)
  local sequence = redis.call('HINCRBY', queue.state, 'sequence', 1)
  if sequence == 1 then
    -- A later sequence than that of any ticket that Redis may have lost, and a lower version, by which pages see the loss.
    sequence = clock_ms
    local version = instant_text(MAX_VERSION - clock_ms)
    redis.call('HSET', queue.state, 'sequence', instant_text(clock_ms), 'version', version)
  end
  local sequence_text = string.format('%.0f', sequence)
  local text = sequence_text .. '\n' .. table.concat(ticket, '\n')
  redis.call('ZADD', queue.waiting, sequence_text, id)
  redis.call('ZADD', queue.groups, 0, prefix .. sequence_text)
  redis.call('HSET', queue.tickets, id, text)
  if is_first then
    redis.call('HSET', queue.state, 'node', node, 'until', instant_text(clock_ms))
  end
  if is_first or sequence % 64 == 0 then
    for _, key in ipairs({ queue.waiting, queue.groups, queue.tickets, queue.state }) do
      redis.call('PEXPIRE', key, QUEUE_TTL_MS)
    end
  end
  return text, sequence_text
end

-- Returns the time until a new ticket may be within the bounds of the queue; 0 if it is now.
local function room_in_queue(queue, log, waiting, turn_at, max_length, max_wait_ms, clock_ms)
  if redis.call('HGET', queue.state, 'closed') == '1' then
    return turn_at - clock_ms
  end
  local too_long = waiting >= max_length and log.turn_at(waiting - max_length + 1) - clock_ms or 0
  return math.max(0, too_long, turn_at - max_wait_ms - clock_ms)
end

local function join(keys, args)
  local clock, owner, group, request, input, limit, window_ms, max_length, max_wait_ms, node, payload, key_count, arg_count =
    unpack(args, 1, FIRST_ARG - 1)
  local queue, clock_ms = queue_of(keys), now_ms(clock)
  local own_key, own_arg = QUEUE_KEYS + key_count + 1, FIRST_ARG + arg_count
  local id, now = ticket_id(owner, group), instant_text(clock_ms)

  -- The calls have the instant of the ticket.
  args[FIRST_ARG + 1], args[own_arg + 1] = '1 ' .. now, '1 ' .. now

  local function decide_own()
    return decide(keys, args, own_key, own_arg, #args)
  end

  local function reply_with(described)
    table.insert(described, 2, now)
    return described
  end

  local text, served = redis.call('HGET', queue.tickets, id), redis.call('HGET', queue.served, id)
  if text or served then
    local is_own_request = read_ticket(text or string.match(served, '^%d+\n[^\n]*\n(.*)$')).request == request
    local reply = not is_own_request and decide_own()
    if reply and (string.sub(reply, 1, 1) == '-' or is_refused(reply)) then
      return { 'decided', now, reply, 1, 0 }
    end
    if not text then
      return { 'served', now, id, served }
    end
    return reply_with(describe_waiting(queue, read_log(queue, limit, window_ms, clock_ms), id, text))
  end

  local function decide_all()
    return decide(keys, args, QUEUE_KEYS + 1, FIRST_ARG, own_arg - 1)
  end

  local policy_args, waiting = get_policy_args(args[FIRST_ARG]), redis.call('ZCARD', queue.waiting)
  local is_certain = waiting > 0 and is_refused_by_waiting(policy_args, keys, own_key - 1)
  local reply = not is_certain and decide_all()
  if reply and not (is_refused(reply) and is_refused_by_queue(policy_args)) then
    return { 'decided', now, reply, 0, 0 }
  end
  local log = read_log(queue, limit, window_ms, clock_ms)
  local turn_at = log.turn_at(waiting + 1)
  local wait_ms = room_in_queue(queue, log, waiting, turn_at, tonumber(max_length), tonumber(max_wait_ms), clock_ms)
  if wait_ms > 0 then
    return { 'decided', now, reply or decide_all(), 0, wait_ms }
  end
  local own_reply = decide_own()
  if string.match(own_reply, '^%d+ (%d)') ~= '1' then
    return { 'decided', now, is_certain and decide_all() or own_reply, is_certain and 0 or 1, 0 }
  end
  local ticket = { now, instant_text(turn_at), limit, window_ms, request, input, group, payload }
  local prefix = group_prefix(group)
  local new_text, sequence = add_ticket(queue, id, ticket, prefix, clock_ms, node, waiting == 0)
  return reply_with(describe_at(queue, id, new_text, waiting + 1, turn_at, prefix, sequence))
end

return join(KEYS, ARGV)
