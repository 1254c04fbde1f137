-- Applies an operator's change to an open gate, at most once. An older change than the gate has is ignored.
--
-- KEYS
--   1  gate    hash: see purchase.lua
--   2  buyers  hash: shopper -> order id and ms of its creation
--   3  outbox  stream: see purchase.lua
-- ARGV
--   1  revision of the coupon after the change
--   2  kind
--   3  starts_at, epoch ms
--   4  ends_at, epoch ms
--   5  whole stock, sold or not; '' for a claim
-- Reply
--   1 if the gate was changed, 0 if it has no state or already has this change, -1 if a version without revisions
--   opened it and it must be rebuilt
--
-- Atomic because the script adds the difference of two stocks to the remaining stock, and a concurrent second call
-- would add it again.

--- @include "../lib/publish-change.lua"

local gate_key, buyers_key, outbox_key = KEYS[1], KEYS[2], KEYS[3]
local revision, kind, starts_at, ends_at, stock = unpack(ARGV)

local gate = redis.call('HMGET', gate_key, 'generation', 'revision', 'ends_at', 'stock', 'remaining')
local generation, gate_revision, gate_ends_at, gate_stock, remaining = unpack(gate, 1, 5)
if not generation then
  return 0
end
if not gate_revision then
  return -1
end
if tonumber(gate_revision) >= tonumber(revision) then
  return 0
end

if stock == '' then
  remaining = ''
elseif gate_stock == '' then
  remaining = stock
else
  remaining = string.format('%.0f', tonumber(remaining) + tonumber(stock) - tonumber(gate_stock))
end
redis.call('HSET', gate_key, 'revision', revision, 'kind', kind, 'starts_at', starts_at, 'ends_at', ends_at,
  'stock', stock, 'remaining', remaining)

-- The keys still live for a day after the new end.
local later_ms = tonumber(ends_at) - tonumber(gate_ends_at)
for _, key in ipairs({ gate_key, buyers_key, outbox_key }) do
  local left_ms = redis.call('PTTL', key)
  if left_ms > 0 then
    redis.call('PEXPIRE', key, math.max(1, left_ms + later_ms))
  end
end
publish_change(gate_key)
return 1
