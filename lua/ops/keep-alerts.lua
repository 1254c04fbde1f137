-- Replaces what is known of alerts, unless another node has replaced it since it was read.
--
-- KEYS
--   1      string: `version state`; expires when no node has looked for lives_ms
-- ARGV
--   1      known: the version that was read, '' where nothing stood
--   2      version: the new one
--   3      state: any text
--   4      lives_ms
-- Reply
--   1      1 replaced, 0 another node was first
--
-- Atomic because the node that replaces the state tells the world what has changed: only one may.

local key = KEYS[1]
local known, version, state, lives_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local stored = redis.call('GET', key)
local stands = stored and string.match(stored, '^(%S+) ') or ''
if stands ~= known then
  return 0
end
redis.call('SET', key, version .. ' ' .. state, 'PX', lives_ms)
return 1
