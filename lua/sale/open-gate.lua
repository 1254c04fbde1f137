-- Opens a coupon's gate with the state of the ledger, unless a newer generation is already open.
--
-- KEYS
--   1  gate     hash: see purchase.lua
--   2  buyers   hash: shopper -> order id and ms of its creation
--   3  staged   hash: the buyers that this rebuild has collected; renamed to buyers
--   4  outbox   stream: its consumer group is created if missing
-- ARGV
--   1  generation of this rebuild
--   2  kind
--   3  starts_at, epoch ms
--   4  ends_at, epoch ms
--   5  remaining, or '' for a claim
--   6  expires_at, epoch ms: expiry of the sale's keys
--   7  consumer group
--   8  whole stock, sold or not; '' for a claim
--   9  revision of the coupon in this state
-- Reply
--   1 if the gate was opened, 0 if a newer generation is open
--
-- Atomic because a purchase between the two writes would be decided with stock and buyers of different states.

--- @include "../lib/publish-change.lua"

local gate_key, buyers_key, staged_key, outbox_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local generation, kind, starts_at, ends_at, remaining, expires_at, group, stock, revision = unpack(ARGV)

local open_generation = redis.call('HGET', gate_key, 'generation')
if open_generation and tonumber(open_generation) > tonumber(generation) then
  redis.call('DEL', staged_key)
  return 0
end

redis.call('DEL', gate_key, buyers_key)
if redis.call('EXISTS', staged_key) == 1 then
  redis.call('RENAME', staged_key, buyers_key)
end
redis.call('HSET', gate_key, 'generation', generation, 'sequence', 0, 'kind', kind, 'starts_at', starts_at,
  'ends_at', ends_at, 'remaining', remaining, 'stock', stock, 'revision', revision)

-- A new group begins with the first entry. An existing group keeps its position.
local created = redis.pcall('XGROUP', 'CREATE', outbox_key, group, '0', 'MKSTREAM')
if type(created) == 'table' and created.err and not string.find(created.err, 'BUSYGROUP', 1, true) then
  return redis.error_reply(created.err)
end

redis.call('PEXPIREAT', gate_key, expires_at)
redis.call('PEXPIREAT', buyers_key, expires_at)
redis.call('PEXPIREAT', outbox_key, expires_at)
publish_change(gate_key)
return 1
