-- Stores a node's heartbeat (totals and state), adds its gains to the history of this second, and counts the live nodes.
--
-- KEYS
--   1      hash: `node:` and name → JSON {run, at, totals: {name: count}, state}; `gone` → JSON {totals}, the sum of all
--          dead nodes; `since` → epoch ms at which the hash was created; never expires
--   2      zset: node, scored by its last heartbeat; never expires
--   3      hash: second % 600 → JSON {at, gains: {name: count}}, the second and the gains of all nodes in it; expires ten
--          minutes after the last gain
-- ARGV
--   1      node: name of the node
--   2      run: id of the run, new after each restart
--   3      since: from the last reply to this run, '' before the first
--   4      totals of this run, as JSON {name: count}
--   5      alive_ms: a node is live for this long after its heartbeat
--   6      dead_ms: a node without a heartbeat for this long is dead
--   7      state of the node, as JSON
-- Reply
--   1      nodes: number of live nodes, including this one
--   2      since
--   3      dead: 1 if the run was declared dead, so that its totals are already in `gone`; then they were not stored
--   4      now, epoch ms
--
-- Atomic because a reader between two steps would count totals that move into `gone` twice or not at all, and because a
-- gain is the difference to the previous totals: each gain counts once, also if a reply was lost.

--- @include "../lib/now.lua"

local heartbeats_key, nodes_key, history_key = KEYS[1], KEYS[2], KEYS[3]
local node, run, known_since, totals = ARGV[1], ARGV[2], ARGV[3], cjson.decode(ARGV[4])
local alive_ms, dead_ms, state = tonumber(ARGV[5]), tonumber(ARGV[6]), cjson.decode(ARGV[7])
local now = now_ms('')

local HISTORY_SECONDS, HISTORY_LIFETIME_MS = 600, 600000

local function read_entry(field)
  local json = redis.call('HGET', heartbeats_key, field)
  return json and cjson.decode(json)
end

local function add_to_dead(name)
  local entry = read_entry('node:' .. name)
  if not entry then
    return
  end
  local dead = read_entry('gone') or { totals = {} }
  for total, count in pairs(entry.totals) do
    dead.totals[total] = (dead.totals[total] or 0) + count
  end
  redis.call('HSET', heartbeats_key, 'gone', cjson.encode(dead))
  redis.call('HDEL', heartbeats_key, 'node:' .. name)
end

-- Adds the decisions since the last heartbeat of this run. After a change or a loss of Redis the previous totals are
-- unknown, so nothing is added.
local function add_gains(before, since)
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
    redis.call('PEXPIRE', history_key, HISTORY_LIFETIME_MS)
  end
end

redis.call('ZADD', nodes_key, string.format('%.0f', now), node)
local dead_since = string.format('(%.0f', now - dead_ms)
for _, name in ipairs(redis.call('ZRANGEBYSCORE', nodes_key, '-inf', dead_since)) do
  add_to_dead(name)
  redis.call('ZREM', nodes_key, name)
end

redis.call('HSETNX', heartbeats_key, 'since', string.format('%.0f', now))
local since = redis.call('HGET', heartbeats_key, 'since')
local before = read_entry('node:' .. node)
local is_dead = known_since == since and not (before and before.run == run)
if not is_dead then
  if before and before.run ~= run then
    add_to_dead(node)
  end
  add_gains(before, since)
  local entry = { run = run, at = now, totals = totals, state = state }
  redis.call('HSET', heartbeats_key, 'node:' .. node, cjson.encode(entry))
end

local nodes = redis.call('ZCOUNT', nodes_key, string.format('%.0f', now - alive_ms), '+inf')
return { nodes, since, is_dead and 1 or 0, now }
