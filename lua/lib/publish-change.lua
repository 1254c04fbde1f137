-- The notification that a gate has changed, for the nodes that do not read every gate: see
-- server/sale/gate/changed-gates.ts.
--
-- The script that changes the gate publishes it, so a node that dies after its call loses no notification. Without the
-- right to publish, the change stays, and the nodes find it in their sweep of all gates.

local function publish_change(gate_key)
  redis.pcall('PUBLISH', 'floodgate:changed-gates', gate_key)
end
