-- Appends a node's batch of arrivals of one policy, and drops batches that are too old or too many.
--
-- KEYS
--   1      list: `count last batch`, oldest batch first; expires ttl_ms after the last batch
--   2      hash: `held` → number of arrivals in the list; `reaches` → epoch ms from which the list is complete; `node:`
--          and name → `instant id` of the last batch of this node; expires with the list
-- ARGV
--   1      node: name of the node
--   2      id of the batch: a repeated batch is not appended twice
--   3      batch: any text
--   4      count: number of arrivals in the batch
--   5      first_ms: instant of the earliest arrival, epoch ms
--   6      last_ms: instant of the latest arrival, epoch ms
--   7      since_ms: this node dropped arrivals before this instant, epoch ms; 0 if it dropped none
--   8      max_arrivals: maximum number of arrivals; a flood may hold four times as many, to keep those of the last
--          2 * late_ms, half of which may be incomplete
--   9      ttl_ms: lifetime of an arrival
--   10     late_ms: maximum delay between an arrival and its batch
-- Reply
--   1      1 appended, 0 the batch was appended before
--
-- Atomic because `reaches` must change together with the dropped batches.

--- @include "../lib/now.lua"

local batches_key, meta_key = KEYS[1], KEYS[2]
local node, id, batch = 'node:' .. ARGV[1], ARGV[2], ARGV[3]
local count, first_ms, last_ms, since_ms = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local max_arrivals, ttl_ms, late_ms = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local now = now_ms('')
local oldest_kept_ms, flood_begins_ms = now - ttl_ms, now - 2 * late_ms
local FLOOD_TIMES = 4

if string.match(redis.call('HGET', meta_key, node) or '', ' (%S+)$') == id then
  return 0
end

local known = redis.call('HMGET', meta_key, 'held', 'reaches')
local held = (tonumber(known[1] or 0) or 0) + count
-- A new list says nothing about earlier arrivals, but other nodes may still send arrivals of the last late_ms.
local reaches_ms = math.max(tonumber(known[2] or (first_ms - late_ms)), since_ms)
redis.call('RPUSH', batches_key, string.format('%.0f %.0f ', count, last_ms) .. batch)

local head = redis.call('LINDEX', batches_key, 0)
while head do
  local head_count, head_last_ms = string.match(head, '^(%d+) (%d+) ')
  head_count, head_last_ms = tonumber(head_count), tonumber(head_last_ms)
  local is_room = held <= max_arrivals or (head_last_ms >= flood_begins_ms and held <= FLOOD_TIMES * max_arrivals)
  if is_room and head_last_ms >= oldest_kept_ms then
    break
  end
  redis.call('LPOP', batches_key)
  held = held - head_count
  reaches_ms = math.max(reaches_ms, head_last_ms + 1)
  head = redis.call('LINDEX', batches_key, 0)
end

-- A node without a batch for ttl_ms may be dead. A repeated batch of it would be too old anyway.
local fields = redis.call('HGETALL', meta_key)
for index = 1, #fields, 2 do
  local sent_ms = string.match(fields[index], '^node:') and string.match(fields[index + 1], '^(%d+) ')
  if sent_ms and tonumber(sent_ms) < oldest_kept_ms then
    redis.call('HDEL', meta_key, fields[index])
  end
end

redis.call('HSET', meta_key, 'held', string.format('%.0f', held))
redis.call('HSET', meta_key, 'reaches', string.format('%.0f', reaches_ms))
redis.call('HSET', meta_key, node, string.format('%.0f ', now) .. id)
redis.call('PEXPIRE', batches_key, ttl_ms)
redis.call('PEXPIRE', meta_key, ttl_ms)
return 1
