-- Gives back the stock of an order that the ledger has ended after it was confirmed: its shopper cancelled it, or it
-- was not paid in time. The shopper may buy again.
--
-- KEYS
--   1  gate    hash: see purchase.lua
--   2  buyers  hash: shopper -> order id and ms of its creation
-- ARGV
--   1  generation that the ledger had when it ended the order
--   2  shopper
--   3  order id
-- Reply
--   1 if the gate is rid of the order, by this call or by one before, or because it was opened after the order had ended
--   0 if that generation has not been opened: ask again, the state that it opens with still counts the order
--
-- Atomic because the buyer goes exactly when the stock comes back; a second call finds no buyer of this order.

local gate_key, buyers_key = KEYS[1], KEYS[2]
local generation, shopper, order_id = unpack(ARGV)

local standing = tonumber(redis.call('HGET', gate_key, 'generation') or -1)
if standing < tonumber(generation) then
  return 0
end
if standing > tonumber(generation) then
  return 1
end
local bought = redis.call('HGET', buyers_key, shopper)
if bought and string.match(bought, '^%S+') == order_id then
  redis.call('HDEL', buyers_key, shopper)
  redis.call('HINCRBY', gate_key, 'remaining', 1)
end
return 1
