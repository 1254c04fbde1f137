-- Keeps one node's batch of arrivals of one policy, and lets go of what is too old or too much.
--
-- KEYS
--   1      list: `count last batch`, oldest batch first; gone when nothing has come for keep_ms
--   2      hash: `held` → how many arrivals the list holds; `reaches` → epoch ms from which on it holds all of them;
--          `node:` and name → `instant id` of the batch that this node brought last; expires with the list
-- ARGV
--   1      node: its name
--   2      id of the batch: the same again is not kept twice
--   3      the batch, any text
--   4      count: how many arrivals it has
--   5      first: the instant of the earliest, epoch ms
--   6      last: the instant of the latest, epoch ms
--   7      since: epoch ms before which this node has lost arrivals; 0 where it has lost none
--   8      most: how many arrivals are held in all; in a flood up to four times as many, so that those of the last
--          2 * late_ms stay: half of them may not be complete yet
--   9      keep_ms: for how long
--   10     late_ms: so long after an arrival its batch comes, at most
-- Reply
--   1      1 kept, 0 had been kept before
--
-- Atomic because `reaches` has to be moved together with what is let go of.

--- @include "../lib/now.lua"

local batches_key, about_key = KEYS[1], KEYS[2]
local node, id, batch = 'node:' .. ARGV[1], ARGV[2], ARGV[3]
local count, first, last, since = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local most, keep_ms, late_ms = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local now = now_ms('')
local oldest_kept, flood_begins = now - keep_ms, now - 2 * late_ms
local FLOOD_TIMES = 4

if string.match(redis.call('HGET', about_key, node) or '', ' (%S+)$') == id then
  return 0
end

local known = redis.call('HMGET', about_key, 'held', 'reaches')
local held = (tonumber(known[1] or 0) or 0) + count
-- Of a list that begins nobody knows what was before it, but other nodes may still bring what came a moment earlier.
local reaches = math.max(tonumber(known[2] or (first - late_ms)), since)
redis.call('RPUSH', batches_key, string.format('%.0f %.0f ', count, last) .. batch)

local head = redis.call('LINDEX', batches_key, 0)
while head do
  local head_count, head_last = string.match(head, '^(%d+) (%d+) ')
  head_count, head_last = tonumber(head_count), tonumber(head_last)
  local is_room = held <= most or (head_last >= flood_begins and held <= FLOOD_TIMES * most)
  if is_room and head_last >= oldest_kept then
    break
  end
  redis.call('LPOP', batches_key)
  held = held - head_count
  reaches = math.max(reaches, head_last + 1)
  head = redis.call('LINDEX', batches_key, 0)
end

-- A node that has brought nothing for as long may be no more: whatever it would bring again is too old.
local fields = redis.call('HGETALL', about_key)
for place = 1, #fields, 2 do
  local brought = string.match(fields[place], '^node:') and string.match(fields[place + 1], '^(%d+) ')
  if brought and tonumber(brought) < oldest_kept then
    redis.call('HDEL', about_key, fields[place])
  end
end

redis.call('HSET', about_key, 'held', string.format('%.0f', held))
redis.call('HSET', about_key, 'reaches', string.format('%.0f', reaches))
redis.call('HSET', about_key, node, string.format('%.0f ', now) .. id)
redis.call('PEXPIRE', batches_key, keep_ms)
redis.call('PEXPIRE', about_key, keep_ms)
return 1
