-- Decides one call on all levels of its policy: admits and charges all of them, or refuses and charges none.
--
-- KEYS
--   1..n   one per level, in checking order: the level's state for its subject; expires by itself
--   n+1    optional, where the call has a request id: string, set when the id was charged, lives request_ttl_ms
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests, lab)
--   2      cost in units; 0 looks without charging
--   3      request_ttl_ms
--   4      how many of each level's newest hits to reply with (0 for a call, 200 for a display)
--   5..    per level: algorithm, limit, window_ms
-- Reply (integers)
--   1      now: epoch ms of the decision
--   2      admitted: 1 or 0
--   3      refusing level: its place in KEYS, the first in checking order that refuses; 0 if none
--   4      replayed: 1 when the request id had been charged before; nothing was charged now
--   5..    per level: {used, retry_after_ms, reset_ms, {hit, …}}
--          used counts this call if it was charged; retry_after_ms is 0 where the level admits;
--          reset_ms is the time until the oldest unit returns, 0 where none is out
--
-- Atomic because a level may be charged only if every other level admits at the same instant, and because a retry of a
-- call whose reply was lost has to find its id charged or not charged, never in between.

--- @include "../lib/now.lua"
--- @include "sliding-log.lua"

local clock_ms, cost, request_ttl_ms, hit_count =
  now_ms(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local FIRST_LEVEL, LEVEL_FIELDS = 5, 3
local level_count = (#ARGV - FIRST_LEVEL + 1) / LEVEL_FIELDS
local request_key = KEYS[level_count + 1]

local algorithms = { ['sliding-log'] = sliding_log }

local replayed = request_key and redis.call('EXISTS', request_key) == 1
if replayed then
  cost = 0
end

local levels, now, refusing = {}, clock_ms, 0
for place = 1, level_count do
  local field = FIRST_LEVEL + (place - 1) * LEVEL_FIELDS
  local level = {
    key = KEYS[place],
    algorithm = algorithms[ARGV[field]],
    limit = tonumber(ARGV[field + 1]),
    window_ms = tonumber(ARGV[field + 2])
  }
  level.state = level.algorithm.read(level.key, clock_ms, level.limit, level.window_ms, cost)
  now = math.max(now, level.state.now)
  if cost > 0 and level.state.retry_after_ms > 0 and refusing == 0 then
    refusing = place
  end
  levels[place] = level
end

if refusing == 0 and cost > 0 then
  for _, level in ipairs(levels) do
    level.algorithm.charge(level.key, level.state, level.window_ms, cost)
    level.state = level.algorithm.read(level.key, clock_ms, level.limit, level.window_ms, 0)
  end
  if request_key then
    redis.call('SET', request_key, '1', 'PX', request_ttl_ms)
  end
end

local reply = { now, refusing == 0 and 1 or 0, refusing, replayed and 1 or 0 }
for _, level in ipairs(levels) do
  local state = level.state
  local hits = hit_count > 0 and level.algorithm.hits(level.key, state, level.window_ms, hit_count) or {}
  reply[#reply + 1] = { state.used, state.retry_after_ms, state.reset_ms, hits }
end
return reply
