-- Closes a gate, so that its outbox can be drained and the gate can be opened again.
--
-- KEYS
--   1  gate  hash: see purchase.lua
-- ARGV
--   1  generation to close
-- Reply
--   1 if the gate was closed, 0 if it is of another generation or has no state
--
-- Atomic because a gate that another node opens meanwhile must stay open.

--- @include "../lib/publish-change.lua"

local gate_key = KEYS[1]
local generation = ARGV[1]

if redis.call('HGET', gate_key, 'generation') ~= generation then
  return 0
end
publish_change(gate_key)
return redis.call('DEL', gate_key)
