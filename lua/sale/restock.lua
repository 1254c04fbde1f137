-- Returns the stock of a confirmed order that was cancelled or has expired (a stock compensation). The shopper may buy
-- again.
--
-- KEYS
--   1  gate    hash: see purchase.lua
--   2  buyers  hash: shopper -> order id and ms of its creation
-- ARGV
--   1  generation of the ledger when it ended the order
--   2  shopper
--   3  order id
-- Reply
--   1 if the gate no longer has the order: removed by this call or an earlier one, or the gate was opened after its end
--   0 if that generation has not been opened: repeat the call later, because its first state still counts the order
--
-- Atomic because the buyer is removed exactly when the stock returns. A second call finds no buyer of this order.

--- @include "../lib/publish-change.lua"

local gate_key, buyers_key = KEYS[1], KEYS[2]
local generation, shopper, order_id = unpack(ARGV)

local open_generation = tonumber(redis.call('HGET', gate_key, 'generation') or -1)
if open_generation < tonumber(generation) then
  return 0
end
if open_generation > tonumber(generation) then
  return 1
end
local bought = redis.call('HGET', buyers_key, shopper)
if bought and string.match(bought, '^%S+') == order_id then
  redis.call('HDEL', buyers_key, shopper)
  redis.call('HINCRBY', gate_key, 'remaining', 1)
  publish_change(gate_key)
end
return 1
