-- Ends turns, and serves the tickets for which units are free, if no other node holds the lease of the queue.
--
-- KEYS
--   1..n   the nine keys of the queue, see queue.lua; they expire by themselves
--   n+1    the start of the keys of request ids, see decide.lua; with its id each is set as decide.lua does
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2 3    limit and window_ms of the queue's level
--   4      1 if the level is enforced, 0 otherwise: then the last enforced limit and window_ms apply, if they are stored
--   5      node
--   6      lease_ms
--   7      the maximum number of tickets to serve
--   8      request_ttl_ms
--   9      1 to reply also with turns of other nodes whose lease has ended, or of this node
--   10     the number of groups that are served nothing now
--   11..   their names
--   then   of each turn that has ended: id, sequence, `served` or `void`, and the outcome or reason, one line
-- Reply, a list: now, the end of another node's lease or 0, the instant to serve the next tickets or 0, the number of
--   waiting tickets, the limit and window_ms that apply, then of each turn: id, 1 if it was served before or 0, and its text
--   with the instant and node of the charge
--
-- Atomic because a ticket is charged if and only if it is removed from the queue.

--- @include "queue.lua"

-- Ends the turns from an argument on.
local function finish_turns(queue, args, first, clock_ms)
  if first > #args then
    return
  end
  local ids = {}
  for index = first, #args, 4 do
    ids[#ids + 1] = args[index]
  end
  local stored = redis.call('HMGET', queue.served, unpack(ids))
  local found, ended = {}, {}
  for index, id in ipairs(ids) do
    local sequence, state, detail = unpack(args, first + index * 4 - 3, first + index * 4 - 1)
    local served_at, text = split_served(stored[index] or '')
    if text and string.match(text, '^%d+') == sequence then
      found[#found + 1] = id
      ended[#ended + 1], ended[#ended + 2] = id, ended_text(state, detail, served_at, clock_ms, text)
    end
  end
  if #found > 0 then
    redis.call('HDEL', queue.served, unpack(found))
    end_tickets(queue, clock_ms, ended)
  end
end

-- Returns the first waiting tickets that are not paused, each with id, text and decoded ticket.
local function next_tickets(queue, max, paused)
  local found, first, step = {}, 0, max
  local is_end
  repeat
    local ids = redis.call('ZRANGE', queue.waiting, first, first + step - 1)
    local texts = #ids > 0 and redis.call('HMGET', queue.tickets, unpack(ids)) or {}
    for index, id in ipairs(ids) do
      local ticket = read_ticket(texts[index])
      if not paused[ticket.group] and #found < max then
        found[#found + 1] = { id = id, text = texts[index], ticket = ticket }
      end
    end
    first, is_end = first + step, #ids < step
    -- The first tickets may all be paused. Only then more are read at once.
    step = math.max(max, 100)
  until #found == max or is_end
  return found
end

-- Charges tickets to the log and moves them to the served ones. Adds them to the reply.
local function serve_tickets(queue, log, tickets, reply, call)
  local _, now = log.read(call.clock_ms, #tickets)
  log.charge(call.clock_ms, #tickets)
  log.save()
  local served_by = instant_text(now) .. '\n' .. call.node .. '\n'
  local served = {}
  local late, late_ms = 0, 0
  for _, one in ipairs(tickets) do
    local ticket, text = one.ticket, served_by .. one.text
    local after_ms = now - tonumber(ticket.promised)
    late, late_ms = late + (after_ms > 0 and 1 or 0), math.max(late_ms, after_ms)
    served[#served + 1], served[#served + 2] = one.id, text
    redis.call('SET', call.request_start .. ticket.request, ticket.input, 'PX', call.request_ttl_ms)
    reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = one.id, 0, text
  end
  remove_waiting(queue, tickets)
  redis.call('HSET', queue.served, unpack(served))
  redis.call('PEXPIRE', queue.served, QUEUE_TTL_MS)
  redis.call('HINCRBY', queue.state, 'version', 1)
  redis.call('HINCRBY', queue.state, 'total', #tickets)
  if late > 0 then
    local longest = tonumber(redis.call('HGET', queue.state, 'late_ms') or 0)
    redis.call('HINCRBY', queue.state, 'late', late)
    redis.call('HSET', queue.state, 'late_ms', instant_text(math.max(longest, late_ms)))
  end
end

-- Takes over the unfinished turns of nodes whose last call is at least lease_ms ago. Adds them, and those of this node, to
-- the reply.
local function add_unfinished(queue, reply, call)
  local stored = redis.call('HGETALL', queue.served)
  for index = 1, #stored, 2 do
    local node = string.match(stored[index + 1], '^%d+\n([^\n]*)')
    local seen = tonumber(redis.call('HGET', queue.state, 'seen:' .. node) or 0)
    if node == call.node or seen <= call.clock_ms - call.lease_ms then
      reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = stored[index], 1, stored[index + 1]
      local moved = string.gsub(stored[index + 1], '^(%d+\n)[^\n]*', '%1' .. call.node, 1)
      redis.call('HSET', queue.served, stored[index], moved)
    end
    if node ~= call.node and seen <= call.clock_ms - call.lease_ms then
      redis.call('HDEL', queue.state, 'seen:' .. node)
    end
  end
end

local function serve(keys, args)
  local clock, limit, window_ms, is_enforced, node, lease_ms, max, request_ttl_ms, recovers, paused_count =
    unpack(args, 1, 10)
  local queue, clock_ms = queue_of(keys), now_ms(clock)
  local call = {
    clock_ms = clock_ms,
    node = node,
    lease_ms = tonumber(lease_ms),
    request_start = keys[10],
    request_ttl_ms = request_ttl_ms
  }
  local paused = {}
  for index = 11, 10 + paused_count do
    paused[args[index]] = true
  end
  finish_turns(queue, args, 11 + paused_count, clock_ms)

  local waiting = count_waiting(queue)
  local holder, held_until, last_limit, last_window_ms =
    unpack(redis.call('HMGET', queue.state, 'node', 'until', 'limit', 'window_ms'))
  if is_enforced == '0' and last_limit then
    limit, window_ms = last_limit, last_window_ms
  end
  local reply = { instant_text(clock_ms), '0', '0', waiting, limit, window_ms }
  local unfinished = redis.call('HLEN', queue.served)
  if unfinished > 0 then
    redis.call('HSET', queue.state, 'seen:' .. node, instant_text(clock_ms))
    redis.call('PEXPIRE', queue.state, QUEUE_TTL_MS)
    if recovers == '1' then
      add_unfinished(queue, reply, call)
    end
  end
  if waiting == 0 then
    return reply
  end
  if holder and holder ~= node and tonumber(held_until) > clock_ms then
    reply[2] = held_until
    return reply
  end
  local seen, lease_until = instant_text(clock_ms), instant_text(clock_ms + lease_ms)
  redis.call('HSET', queue.state, 'node', node, 'until', lease_until, 'seen:' .. node, seen)
  if is_enforced == '1' and (last_limit ~= limit or last_window_ms ~= window_ms) then
    redis.call('HSET', queue.state, 'limit', limit, 'window_ms', window_ms)
  end

  local log = read_log(queue, limit, window_ms, clock_ms)
  local room = math.min(log.room(), tonumber(max))
  local tickets = next_tickets(queue, math.max(room, 0) + 1, paused)
  local is_more = #tickets > room
  if room > 0 and tickets[1] then
    if is_more then
      tickets[#tickets] = nil
    end
    serve_tickets(queue, log, tickets, reply, call)
    log.read(clock_ms, 0)
    reply[4] = waiting - #tickets
  end
  if is_more then
    reply[3] = instant_text(log.serve_at(reply[4]))
  end
  return reply
end

return serve(KEYS, ARGV)
