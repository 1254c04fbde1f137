-- Forgets outbox entries that the ledger has settled, and their reservations.
--
-- KEYS
--   1     outbox        stream: see purchase.lua
--   2..n  reservations  one per entry, in the order of ARGV: hash of its shopper, see purchase.lua
-- ARGV
--   1     consumer group
--   then, of each entry: its id, and the id of its order
-- Reply
--   how many entries were still in the outbox
--
-- Atomic because an entry that was acknowledged and not deleted would be read by nobody and look unwritten. A script and
-- no transaction, since one of as many commands costs the node far more than it costs Redis.

local outbox_key, group = KEYS[1], ARGV[1]

local entry_ids = {}
for place = 2, #KEYS do
  local entry_id, order_id = ARGV[2 * place - 2], ARGV[2 * place - 1]
  entry_ids[#entry_ids + 1] = entry_id
  redis.call('HDEL', KEYS[place], order_id)
end
redis.call('XACK', outbox_key, group, unpack(entry_ids))
return redis.call('XDEL', outbox_key, unpack(entry_ids))
