-- Returns the stock of an order that the ledger refused, and stores the order that the shopper holds instead.
--
-- KEYS
--   1  gate    hash: see purchase.lua
--   2  buyers  hash: shopper -> order id and ms of its creation
-- ARGV
--   1  generation of the outbox entry
--   2  shopper
--   3  order id of the entry
--   4  order id that the shopper holds, or '' for none
--   5  epoch ms of its creation, or '' for none
-- Reply
--   1 if the stock was returned, 0 if the gate is of another generation or no longer has this order
--
-- Atomic because the buyer's order changes exactly when the stock returns. A second call finds the other order or none.

--- @include "../lib/publish-change.lua"

local gate_key, buyers_key = KEYS[1], KEYS[2]
local generation, shopper, order_id, held_id, held_at = unpack(ARGV)

if redis.call('HGET', gate_key, 'generation') ~= generation then
  return 0
end
local bought = redis.call('HGET', buyers_key, shopper)
if not bought or string.match(bought, '^%S+') ~= order_id then
  return 0
end
if held_id == '' then
  redis.call('HDEL', buyers_key, shopper)
else
  redis.call('HSET', buyers_key, shopper, held_id .. ' ' .. held_at)
end
redis.call('HINCRBY', gate_key, 'remaining', 1)
publish_change(gate_key)
return 1
