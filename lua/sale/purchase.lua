-- Sells one coupon to one shopper: open, in stock, first for this shopper, then remembered and put into the outbox.
--
-- KEYS
--   1  gate          hash: generation, sequence, kind, starts_at, ends_at, remaining ('' for a claim), and the stock and
--                    revision that amend-gate.lua goes by; lives as long as the sale
--   2  buyers        hash: shopper -> order id and ms of its creation; of a seckill; lives as long as the gate
--   3  outbox        stream: orders for the ledger
--   4  reservations  hash of this shopper: order id -> ms of its creation, until the ledger has written it
--   5  former        string that version 0.1.0 set for this request id, only read: order id and ms of its creation;
--                    expires by itself within 24 h
-- ARGV
--   1  clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2  kind that the caller means to buy
--   3  shopper
--   4  order id, used if the order is accepted; under a request id the same for each call
--   5  code of the order, likewise
--   6  request id, or '' for none (then KEYS 5 is not read)
--   7  reservation_ttl_ms: how long the reservations are kept
--   8  1 where the limiter let the call in on the strength of an id that it had charged before, else 0
--   9  known_generation and
--  10  known_sequence: the furthest that the caller knows this gate to have been
--  11  most_unwritten, and
--  12  oldest_unwritten_ms: how many orders may wait for the ledger and for how long, while it sells
--  13  1 to peek: the purchase is decided and not made; else 0
-- Reply
--   1  outcome: accepted | replayed | already-bought | sold-out | not-started | ended | missing | stale | other-kind |
--      spent | behind | could-buy (a peek at a gate that would have accepted)
--   2  order id where there is an order (accepted, replayed, already-bought), else ''
--   3  epoch ms of its creation, else 0
--   4  generation of the gate and
--   5  sequence of the order, where it is accepted, else 0
--
-- Atomic because stock, buyers and outbox are one promise: whatever is decremented has a buyer and an entry.

--- @include "../lib/now.lua"

local gate_key, buyers_key, outbox_key, reservations_key, former_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local clock, kind, shopper, order_id, code, request_id, reservation_ttl_ms, is_replay, known_generation, known_sequence,
  most_unwritten, oldest_unwritten_ms, is_peek = unpack(ARGV)

-- Id and ms of an order as buyers and former store it: '<id> <ms>'.
local function order_of(stored)
  return string.match(stored, '^(%S+) (%d+)$')
end

local function reply_with(outcome, id, created_at)
  return { outcome, id, tonumber(created_at), 0, 0 }
end

local function reply_without_order(outcome)
  return { outcome, '', 0, 0, 0 }
end

-- A copy that is older than what somebody has seen of it: a replica that lagged, a backup that was restored.
local function is_stale(generation, sequence)
  local older = tonumber(generation) - tonumber(known_generation)
  return older < 0 or (older == 0 and sequence < tonumber(known_sequence))
end

-- Settled entries leave the outbox, so its first one has waited longest; its id begins with Redis's ms.
local function is_ledger_behind()
  if redis.call('XLEN', outbox_key) >= tonumber(most_unwritten) then
    return true
  end
  local first = redis.call('XRANGE', outbox_key, '-', '+', 'COUNT', 1)[1]
  return first and now_ms('') - tonumber(string.match(first[1], '^%d+')) > tonumber(oldest_unwritten_ms)
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

local former = request_id ~= '' and redis.call('GET', former_key)
if former then
  return reply_with('replayed', order_of(former))
end
local bought = kind == 'seckill' and redis.call('HGET', buyers_key, shopper)
if bought then
  local id, created_at = order_of(bought)
  return reply_with(id == order_id and 'replayed' or 'already-bought', id, created_at)
end
-- Of a claim there are no buyers: a repeated call finds its order here, and in the ledger once it is written there.
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

-- An id that was charged in one window buys nothing in another: a replay finds its order, or none.
if is_replay == '1' then
  return reply_without_order('spent')
end

if is_ledger_behind() then
  return reply_without_order('behind')
end

if is_peek == '1' then
  return reply_without_order('could-buy')
end

local remembered = string.format('%s %.0f', order_id, now)
sequence = redis.call('HINCRBY', gate_key, 'sequence', 1)
if kind == 'seckill' then
  redis.call('HINCRBY', gate_key, 'remaining', -1)
  redis.call('HSET', buyers_key, shopper, remembered)
  -- The first buyer creates the hash, so open-gate.lua could not set its expiry.
  local gate_ttl_ms = redis.call('PTTL', gate_key)
  if gate_ttl_ms > 0 then
    redis.call('PEXPIRE', buyers_key, gate_ttl_ms)
  end
end
redis.call('HSET', reservations_key, order_id, now)
redis.call('PEXPIRE', reservations_key, reservation_ttl_ms)
redis.call('XADD', outbox_key, '*', 'generation', generation, 'sequence', sequence, 'order', order_id,
  'shopper', shopper, 'code', code, 'request', request_id, 'at', now)
return { 'accepted', order_id, now, tonumber(generation), sequence }
