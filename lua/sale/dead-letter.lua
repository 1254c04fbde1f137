-- Moves an outbox entry that the ledger cannot write to the dead letters and returns its stock. Its shopper may buy
-- again.
--
-- KEYS
--   1  gate          hash: see purchase.lua
--   2  buyers        hash: shopper -> order id and ms of its creation
--   3  outbox        stream: see purchase.lua
--   4  dead          stream: entries that could not be written, with the reason; expires ttl_ms after the last one
--   5  reservations  hash of the entry's shopper: its order becomes 'cancelled <ms>'
-- ARGV
--   1  consumer group
--   2  id of the entry
--   3  reason, as text
--   4  ttl_ms
--   5  max_kept: approximate maximum number of dead letters
-- Reply
--   1 if the entry was moved, 0 if it is no longer in the outbox
--
-- Atomic because the entry leaves the outbox exactly when its stock returns. A second call finds no entry.

--- @include "../lib/publish-change.lua"

local gate_key, buyers_key, outbox_key, dead_key, reservations_key = unpack(KEYS)
local group, entry_id, reason, ttl_ms, max_kept = unpack(ARGV)

local entry = redis.call('XRANGE', outbox_key, entry_id, entry_id)[1]
if not entry then
  return 0
end
local fields = {}
for index = 1, #entry[2], 2 do
  fields[entry[2][index]] = entry[2][index + 1]
end
local shopper, order_id = fields.shopper, fields.order
local at = tonumber(fields.at or '') or tonumber(string.match(entry_id, '^%d+'))

-- The stored form of an order (see purchase.lua) begins with its id.
local bought = shopper and redis.call('HGET', buyers_key, shopper)
local is_buyer = bought and order_id and string.match(bought, '^%S+') == order_id
local is_of_this_gate = fields.generation and redis.call('HGET', gate_key, 'generation') == fields.generation

redis.call('XADD', dead_key, 'MAXLEN', '~', max_kept, '*', 'why', reason, 'entry', entry_id, unpack(entry[2]))
redis.call('PEXPIRE', dead_key, ttl_ms)
if is_buyer and is_of_this_gate then
  redis.call('HDEL', buyers_key, shopper)
  redis.call('HINCRBY', gate_key, 'remaining', 1)
  publish_change(gate_key)
end
if order_id and redis.call('HEXISTS', reservations_key, order_id) == 1 then
  redis.call('HSET', reservations_key, order_id, string.format('cancelled %.0f', at))
end
redis.call('XACK', outbox_key, group, entry_id)
redis.call('XDEL', outbox_key, entry_id)
return 1
