-- Sells one coupon to one shopper: open, in stock, first for this shopper, then remembered and put into the outbox.
--
-- KEYS
--   1  gate          hash: generation, kind, starts_at, ends_at, remaining ('' for a claim), and the stock and revision
--                    that amend-gate.lua goes by; lives as long as the sale
--   2  buyers        hash: shopper -> order id and ms of its creation; of a seckill
--   3  outbox        stream: orders for the ledger
--   4  reservations  hash of this shopper: order id -> ms of its creation, until the ledger has written it
--   5  request       string: order id and ms of its creation; lives request_ttl_ms
-- ARGV
--   1  clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2  kind that the caller means to buy
--   3  shopper
--   4  order id, used if the order is accepted
--   5  code of the order, likewise
--   6  request id, or '' for none (then KEYS 5 is not touched)
--   7  request_ttl_ms
--   8  1 where the limiter let the call in on the strength of an id that it had charged before, else 0
-- Reply
--   1  outcome: accepted | replayed | already-bought | sold-out | not-started | ended | missing | other-kind | spent
--   2  order id where there is an order (accepted, replayed, already-bought), else ''
--   3  epoch ms of its creation, else 0
--
-- Atomic because stock, buyers and outbox are one promise: whatever is decremented has a buyer and an entry.

--- @include "../lib/now.lua"

local gate_key, buyers_key, outbox_key, reservations_key, request_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local clock, kind, shopper, order_id, code, request_id, request_ttl_ms, is_replay = unpack(ARGV)

-- An order as this script remembers it: '<id> <ms>'.
local function reply_with(outcome, remembered)
  local id, created_at = string.match(remembered, '^(%S+) (%d+)$')
  return { outcome, id, tonumber(created_at) }
end

local gate = redis.call('HMGET', gate_key, 'generation', 'kind', 'starts_at', 'ends_at', 'remaining')
local generation, sold_kind, starts_at, ends_at, remaining = gate[1], gate[2], gate[3], gate[4], gate[5]
if not generation then
  return { 'missing', '', 0 }
end
if sold_kind ~= kind then
  return { 'other-kind', '', 0 }
end

local replayed = request_id ~= '' and redis.call('GET', request_key)
if replayed then
  return reply_with('replayed', replayed)
end
local bought = kind == 'seckill' and redis.call('HGET', buyers_key, shopper)
if bought then
  return reply_with('already-bought', bought)
end

local now = now_ms(clock)
if now < tonumber(starts_at) then
  return { 'not-started', '', 0 }
end
if now >= tonumber(ends_at) then
  return { 'ended', '', 0 }
end
if kind == 'seckill' and tonumber(remaining) <= 0 then
  return { 'sold-out', '', 0 }
end

-- An id that was charged in one window buys nothing in another: a replay finds its order, or none.
if is_replay == '1' then
  return { 'spent', '', 0 }
end

local remembered = string.format('%s %.0f', order_id, now)
if kind == 'seckill' then
  redis.call('HINCRBY', gate_key, 'remaining', -1)
  redis.call('HSET', buyers_key, shopper, remembered)
end
redis.call('HSET', reservations_key, order_id, now)
redis.call('PEXPIRE', reservations_key, request_ttl_ms)
if request_id ~= '' then
  redis.call('SET', request_key, remembered, 'PX', request_ttl_ms)
end
redis.call('XADD', outbox_key, '*', 'generation', generation, 'order', order_id, 'shopper', shopper,
  'code', code, 'request', request_id, 'at', now)
return { 'accepted', order_id, now }
