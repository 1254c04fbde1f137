-- Reads what a coupon's gate has left and what waits in its outbox, as of one instant. Changes nothing.
--
-- KEYS
--   1  gate    hash: see purchase.lua
--   2  outbox  stream: see purchase.lua
-- ARGV
--   1  most_entries: with more than that in the outbox, which they are is not told
-- Reply
--   1  generation, or '' where the gate has no state; then nothing follows
--   2  sequence
--   3  revision
--   4  remaining
--   5  how many entries wait in the outbox
--   6  and on: the order ids of those that are of this generation
--
-- Atomic because a purchase between the two would be in one of them and not in the other.

local gate_key, outbox_key = KEYS[1], KEYS[2]
local most_entries = tonumber(ARGV[1])

local gate = redis.call('HMGET', gate_key, 'generation', 'sequence', 'revision', 'remaining')
local generation = gate[1]
if not generation then
  return { '' }
end

local waiting = redis.call('XLEN', outbox_key)
local reply = { generation, gate[2] or '0', gate[3] or '0', gate[4] or '', tostring(waiting) }
if waiting > most_entries then
  return reply
end
for _, entry in ipairs(redis.call('XRANGE', outbox_key, '-', '+')) do
  local fields = {}
  for place = 1, #entry[2], 2 do
    fields[entry[2][place]] = entry[2][place + 1]
  end
  if fields.generation == generation and fields.order then
    reply[#reply + 1] = fields.order
  end
end
return reply
