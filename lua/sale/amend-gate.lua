-- Takes an operator's change into an open gate: once, and the changes of one coupon in their order.
--
-- KEYS
--   1  gate    hash: see purchase.lua
--   2  buyers  hash: shopper -> order id and ms of its creation
--   3  outbox  stream: see purchase.lua
-- ARGV
--   1  revision of the coupon that the change made
--   2  kind
--   3  starts_at, epoch ms
--   4  ends_at, epoch ms
--   5  stock, sold or not, or '' for a claim
-- Reply
--   1 if the gate was changed, 0 if it has no state or this change already, -1 if it is of a version of this product
--   that counted no changes, and must be rebuilt
--
-- Atomic because what is added to the remaining is the difference of two stocks, which a purchase between would not
-- change but a second call would add again.

local gate_key, buyers_key, outbox_key = KEYS[1], KEYS[2], KEYS[3]
local revision, kind, starts_at, ends_at, stock = unpack(ARGV)

local gate = redis.call('HMGET', gate_key, 'generation', 'revision', 'ends_at', 'stock', 'remaining')
local generation, known_revision, known_ends_at, known_stock, remaining = unpack(gate, 1, 5)
if not generation then
  return 0
end
if not known_revision then
  return -1
end
if tonumber(known_revision) >= tonumber(revision) then
  return 0
end

if stock == '' then
  remaining = ''
elseif known_stock == '' then
  remaining = stock
else
  remaining = string.format('%.0f', tonumber(remaining) + tonumber(stock) - tonumber(known_stock))
end
redis.call('HSET', gate_key, 'revision', revision, 'kind', kind, 'starts_at', starts_at, 'ends_at', ends_at,
  'stock', stock, 'remaining', remaining)

-- What outlives the sale by a day goes on doing so.
local later_ms = tonumber(ends_at) - tonumber(known_ends_at)
for _, key in ipairs({ gate_key, buyers_key, outbox_key }) do
  local left_ms = redis.call('PTTL', key)
  if left_ms > 0 then
    redis.call('PEXPIRE', key, math.max(1, left_ms + later_ms))
  end
end
return 1
