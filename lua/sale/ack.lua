-- Acks and deletes outbox entries that the ledger has settled, and deletes their reservations.
--
-- KEYS
--   1     outbox        stream: see purchase.lua
--   2..n  reservations  one per entry, in the order of ARGV: hash of its shopper, see purchase.lua
-- ARGV
--   1     consumer group
--   then for each entry: its id, and the id of its order
-- Reply
--   number of entries that were still in the outbox
--
-- Atomic because an entry that was acked but not deleted would never be delivered again and would count as unwritten.
-- A script instead of a transaction, because a transaction of as many commands costs the node much more CPU.

local outbox_key, group = KEYS[1], ARGV[1]

local entry_ids = {}
for index = 2, #KEYS do
  local entry_id, order_id = ARGV[2 * index - 2], ARGV[2 * index - 1]
  entry_ids[#entry_ids + 1] = entry_id
  redis.call('HDEL', KEYS[index], order_id)
end
redis.call('XACK', outbox_key, group, unpack(entry_ids))
return redis.call('XDEL', outbox_key, unpack(entry_ids))
