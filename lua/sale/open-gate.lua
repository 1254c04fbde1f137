-- Opens a coupon's gate with what the ledger knows, unless a newer generation has opened it already.
--
-- KEYS
--   1  gate     hash: see purchase.lua
--   2  buyers   hash: shopper -> order id and ms of its creation
--   3  staged   hash: the same, as this rebuild collected it; becomes buyers
--   4  outbox   stream: gets its consumer group if it has none
-- ARGV
--   1  generation of this rebuild
--   2  kind
--   3  starts_at, epoch ms
--   4  ends_at, epoch ms
--   5  remaining, or '' for a claim
--   6  expires_at, epoch ms: when the sale's keys may go
--   7  consumer group
--   8  stock, sold or not, or '' for a claim
--   9  revision of the coupon that all this is of
-- Reply
--   1 if the gate was opened, 0 if a newer generation stands
--
-- Atomic because a purchase between the buyers and the stock would sell by one and forget by the other.

local gate_key, buyers_key, staged_key, outbox_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local generation, kind, starts_at, ends_at, remaining, expires_at, group, stock, revision = unpack(ARGV)

local standing = redis.call('HGET', gate_key, 'generation')
if standing and tonumber(standing) > tonumber(generation) then
  redis.call('DEL', staged_key)
  return 0
end

redis.call('DEL', gate_key, buyers_key)
if redis.call('EXISTS', staged_key) == 1 then
  redis.call('RENAME', staged_key, buyers_key)
end
redis.call('HSET', gate_key, 'generation', generation, 'sequence', 0, 'kind', kind, 'starts_at', starts_at,
  'ends_at', ends_at, 'remaining', remaining, 'stock', stock, 'revision', revision)

-- Delivery begins with the first entry; a group that stands keeps its place.
local made = redis.pcall('XGROUP', 'CREATE', outbox_key, group, '0', 'MKSTREAM')
if type(made) == 'table' and made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then
  return redis.error_reply(made.err)
end

redis.call('PEXPIREAT', gate_key, expires_at)
redis.call('PEXPIREAT', buyers_key, expires_at)
redis.call('PEXPIREAT', outbox_key, expires_at)
return 1
