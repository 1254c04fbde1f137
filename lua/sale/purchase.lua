-- Sells one coupon to one shopper, if the gate is open, has stock, and the shopper has no order. Adds the order to the
-- buyers, the reservations and the outbox.
--
-- KEYS
--   1  gate          hash: generation, sequence, kind, starts_at, ends_at, remaining ('' for a claim); stock and revision
--                    for amend-gate.lua; lives as long as the sale
--   2  buyers        hash of a seckill: shopper -> order id and ms of its creation; lives as long as the gate
--   3  outbox        stream: orders for the ledger; lives as long as the gate
--   4  reservations  hash of this shopper: order id -> ms of its creation, until the ledger has written the order, or
--                    'cancelled <ms>' after dead-letter.lua; expires reservation_ttl_ms after the last order
-- ARGV
--   1  clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2  kind that the caller expects
--   3  shopper
--   4  order id, used if the order is accepted; the same for each call with one request id
--   5  code of the order, used if the order is accepted
--   6  request id, or '' for none
--   7  reservation_ttl_ms: lifetime of the reservations
--   8  1 if the limiter admitted the call because it had charged this request id before, else 0
--   9  known_generation and
--  10  known_sequence: the highest fence of this gate that the caller has seen
--  11  max_unwritten and
--  12  max_unwritten_ms: number and age of unwritten orders above which the gate sells nothing
--  13  1 to peek: decide the purchase without making it; else 0
-- Reply
--   1  outcome:
--        accepted        a new order
--        replayed        an earlier call with this request id made the order
--        already-bought  the shopper has another order
--        sold-out, not-started, ended
--        missing         the gate has no state
--        stale           the gate is older than the fence that the caller has seen
--        other-kind      the coupon is sold as another kind than the caller expects
--        spent           the request id was charged before and has no order here
--        behind          too many orders are unwritten, or one for too long
--        could-buy       a peek whose purchase would be accepted
--   2  order id if there is an order (accepted, replayed, already-bought), else ''
--   3  epoch ms of its creation, else 0
--   4  generation of the gate and
--   5  sequence of an accepted order, else 0
--
-- Atomic because each unit taken from the stock must have a buyer and an outbox entry.

--- @include "../lib/now.lua"
--- @include "../lib/publish-change.lua"

local gate_key, buyers_key, outbox_key, reservations_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local clock, kind, shopper, order_id, code, request_id, reservation_ttl_ms, is_replay, known_generation, known_sequence,
  max_unwritten, max_unwritten_ms, is_peek = unpack(ARGV)

-- Splits an order as buyers store it: '<id> <ms>'.
local function parse_order(stored)
  return string.match(stored, '^(%S+) (%d+)$')
end

local function reply_with(outcome, id, created_at)
  return { outcome, id, tonumber(created_at), 0, 0 }
end

local function reply_without_order(outcome)
  return { outcome, '', 0, 0, 0 }
end

-- Returns true for a gate that is older than the caller has seen: a promoted replica that lagged, a restored backup.
local function is_stale(generation, sequence)
  local ahead = tonumber(generation) - tonumber(known_generation)
  return ahead < 0 or (ahead == 0 and sequence < tonumber(known_sequence))
end

-- Settled entries leave the outbox, so its first entry is the oldest. An entry's id begins with Redis's ms.
local function is_ledger_behind()
  if redis.call('XLEN', outbox_key) >= tonumber(max_unwritten) then
    return true
  end
  local first = redis.call('XRANGE', outbox_key, '-', '+', 'COUNT', 1)[1]
  return first and now_ms('') - tonumber(string.match(first[1], '^%d+')) > tonumber(max_unwritten_ms)
end

local gate = redis.call('HMGET', gate_key, 'generation', 'kind', 'starts_at', 'ends_at', 'remaining', 'sequence')
local generation, sold_kind, starts_at, ends_at, remaining = gate[1], gate[2], gate[3], gate[4], gate[5]
local sequence = tonumber(gate[6] or 0)
if not generation then
  return reply_without_order('missing')
end
if is_stale(generation, sequence) then
  return reply_without_order('stale')
end
if sold_kind ~= kind then
  return reply_without_order('other-kind')
end

local bought = kind == 'seckill' and redis.call('HGET', buyers_key, shopper)
if bought then
  local id, created_at = parse_order(bought)
  return reply_with(id == order_id and 'replayed' or 'already-bought', id, created_at)
end
-- A claim has no buyers: a repeated call finds its order here, and in the ledger after it was written.
local reserved_at = kind ~= 'seckill' and request_id ~= '' and redis.call('HGET', reservations_key, order_id)
if reserved_at and string.match(reserved_at, '^%d+$') then
  return reply_with('replayed', order_id, reserved_at)
end

local now = now_ms(clock)
if now < tonumber(starts_at) then
  return reply_without_order('not-started')
end
if now >= tonumber(ends_at) then
  return reply_without_order('ended')
end
if kind == 'seckill' and tonumber(remaining) <= 0 then
  return reply_without_order('sold-out')
end

-- A request id that was charged in an earlier window cannot buy now: a replay finds its order or nothing.
if is_replay == '1' then
  return reply_without_order('spent')
end

if is_ledger_behind() then
  return reply_without_order('behind')
end

if is_peek == '1' then
  return reply_without_order('could-buy')
end

local stored_order = string.format('%s %.0f', order_id, now)
sequence = redis.call('HINCRBY', gate_key, 'sequence', 1)
if kind == 'seckill' then
  redis.call('HINCRBY', gate_key, 'remaining', -1)
  redis.call('HSET', buyers_key, shopper, stored_order)
  -- The first buyer creates the hash, so open-gate.lua could not set its expiry.
  local gate_ttl_ms = redis.call('PTTL', gate_key)
  if gate_ttl_ms > 0 then
    redis.call('PEXPIRE', buyers_key, gate_ttl_ms)
  end
end
redis.call('HSET', reservations_key, order_id, now)
redis.call('PEXPIRE', reservations_key, reservation_ttl_ms)
-- While the outbox has entries, every node reads this gate.
local is_first_entry = redis.call('XLEN', outbox_key) == 0
redis.call('XADD', outbox_key, '*', 'generation', generation, 'sequence', sequence, 'order', order_id,
  'shopper', shopper, 'code', code, 'request', request_id, 'at', now)
if is_first_entry then
  publish_change(gate_key)
end
return { 'accepted', order_id, now, tonumber(generation), sequence }
