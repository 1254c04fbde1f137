-- Reads the remaining stock of a gate and the entries of its outbox at one instant. Read-only.
--
-- KEYS
--   1  gate    hash: see purchase.lua
--   2  outbox  stream: see purchase.lua
-- ARGV
--   1  max_entries: with more entries in the outbox, their order ids are left out
-- Reply
--   1  generation, or '' if the gate has no state; then nothing follows
--   2  sequence
--   3  revision
--   4  remaining
--   5  number of entries in the outbox
--   6  and following: the order ids of the entries of this generation
--
-- Atomic because a purchase between two reads would appear in only one of them.

local gate_key, outbox_key = KEYS[1], KEYS[2]
local max_entries = tonumber(ARGV[1])

local gate = redis.call('HMGET', gate_key, 'generation', 'sequence', 'revision', 'remaining')
local generation = gate[1]
if not generation then
  return { '' }
end

local length = redis.call('XLEN', outbox_key)
local reply = { generation, gate[2] or '0', gate[3] or '0', gate[4] or '', tostring(length) }
if length > max_entries then
  return reply
end
for _, entry in ipairs(redis.call('XRANGE', outbox_key, '-', '+')) do
  local fields = {}
  for index = 1, #entry[2], 2 do
    fields[entry[2][index]] = entry[2][index + 1]
  end
  if fields.generation == generation and fields.order then
    reply[#reply + 1] = fields.order
  end
end
return reply
