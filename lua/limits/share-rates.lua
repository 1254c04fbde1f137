-- Writes one node's totals where the others read them, notes what they gained in this second, and counts the nodes.
--
-- KEYS
--   1      hash: `node:` and name → JSON {run, at, totals: {name: count}, state}; `gone` → JSON {totals}, of all nodes
--          that are no more; `since` → epoch ms of the hash's beginning
--   2      zset: node, scored by when it was last heard of
--   3      hash: second % 300 → JSON {at, gains: {name: count}}, the second and what all nodes told in it that they had
--          gained; gone ten minutes after the last word
-- ARGV
--   1      node: its name
--   2      run: an id of the node's own, another after each restart
--   3      since: what the last reply to this run said, '' before the first
--   4      totals as JSON {name: count}, of this run
--   5      heard_ms: a node that was heard of within it counts
--   6      gone_ms: a node that was silent for longer is no more
--   7      state as JSON: what else the others may know of this node
-- Reply
--   1      nodes: how many were heard of, this one among them
--   2      since
--   3      forgotten: 1 where the run was taken for gone, so that its totals are in `gone`; nothing was written then
--   4      now, epoch ms
--
-- Atomic because totals that are moved into `gone` in two steps would be read twice or not at all, and because a gain
-- is what the totals are above those written before: each is noted once, also when a reply was lost.

--- @include "../lib/now.lua"

local rates_key, nodes_key, history_key = KEYS[1], KEYS[2], KEYS[3]
local node, run, known_since, totals = ARGV[1], ARGV[2], ARGV[3], cjson.decode(ARGV[4])
local heard_ms, gone_ms, state = tonumber(ARGV[5]), tonumber(ARGV[6]), cjson.decode(ARGV[7])
local now = now_ms('')

local HISTORY_SECONDS, HISTORY_LIVES_MS = 300, 600000

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

-- What this run has decided since it wrote last. A run that has written to another Redis, or to this one before it was
-- emptied, has gained nothing that anybody knows the second of.
local function note_gains(before, since)
  if known_since ~= '' and known_since ~= since then
    return
  end
  local known = before and before.run == run and before.totals or {}
  local second = math.floor(now / 1000)
  local slot = string.format('%.0f', second % HISTORY_SECONDS)
  local point
  for name, count in pairs(totals) do
    local gain = count - (known[name] or 0)
    if gain > 0 then
      if not point then
        local json = redis.call('HGET', history_key, slot)
        point = json and cjson.decode(json)
        if not point or point.at ~= second then
          point = { at = second, gains = {} }
        end
      end
      point.gains[name] = (point.gains[name] or 0) + gain
    end
  end
  if point then
    redis.call('HSET', history_key, slot, cjson.encode(point))
    redis.call('PEXPIRE', history_key, HISTORY_LIVES_MS)
  end
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
  note_gains(before, since)
  local entry = { run = run, at = now, totals = totals, state = state }
  redis.call('HSET', rates_key, 'node:' .. node, cjson.encode(entry))
end

local nodes = redis.call('ZCOUNT', nodes_key, string.format('%.0f', now - heard_ms), '+inf')
return { nodes, since, is_forgotten and 1 or 0, now }
