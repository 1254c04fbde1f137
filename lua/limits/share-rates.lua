-- Writes one node's totals where the others read them, and counts the nodes that do so.
--
-- KEYS
--   1      hash: `node:` and name → JSON {run, totals: {name: count}}; `gone` → JSON {totals}, of all nodes that are no
--          more; `since` → epoch ms of the hash's beginning
--   2      zset: node, scored by when it was last heard of
-- ARGV
--   1      node: its name
--   2      run: an id of the node's own, another after each restart
--   3      since: what the last reply to this run said, '' before the first
--   4      totals as JSON {name: count}, of this run
--   5      heard_ms: a node that was heard of within it counts
--   6      gone_ms: a node that was silent for longer is no more
-- Reply
--   1      nodes: how many were heard of, this one among them
--   2      since
--   3      forgotten: 1 where the run was taken for gone, so that its totals are in `gone`; nothing was written then
--
-- Atomic because totals that are moved into `gone` in two steps would be read twice or not at all.

--- @include "../lib/now.lua"

local rates_key, nodes_key = KEYS[1], KEYS[2]
local node, run, known_since, totals = ARGV[1], ARGV[2], ARGV[3], cjson.decode(ARGV[4])
local heard_ms, gone_ms = tonumber(ARGV[5]), tonumber(ARGV[6])
local now = now_ms('')

local function stored(field)
  local json = redis.call('HGET', rates_key, field)
  return json and cjson.decode(json)
end

local function fold(name)
  local entry = stored('node:' .. name)
  if not entry then
    return
  end
  local gone = stored('gone') or { totals = {} }
  for total, count in pairs(entry.totals) do
    gone.totals[total] = (gone.totals[total] or 0) + count
  end
  redis.call('HSET', rates_key, 'gone', cjson.encode(gone))
  redis.call('HDEL', rates_key, 'node:' .. name)
end

redis.call('ZADD', nodes_key, string.format('%.0f', now), node)
local silent_since = string.format('(%.0f', now - gone_ms)
for _, name in ipairs(redis.call('ZRANGEBYSCORE', nodes_key, '-inf', silent_since)) do
  fold(name)
  redis.call('ZREM', nodes_key, name)
end

redis.call('HSETNX', rates_key, 'since', string.format('%.0f', now))
local since = redis.call('HGET', rates_key, 'since')
local before = stored('node:' .. node)
local is_forgotten = known_since == since and not (before and before.run == run)
if not is_forgotten then
  if before and before.run ~= run then
    fold(node)
  end
  redis.call('HSET', rates_key, 'node:' .. node, cjson.encode({ run = run, totals = totals }))
end

local nodes = redis.call('ZCOUNT', nodes_key, string.format('%.0f', now - heard_ms), '+inf')
return { nodes, since, is_forgotten and 1 or 0 }
