-- Replaces the shared state of the alerts, unless another node has replaced it since the read.
--
-- KEYS
--   1      string: `version state`; expires ttl_ms after the last replacement
-- ARGV
--   1      known: the version of the read, '' if there was no state
--   2      version: the new version
--   3      state: any text
--   4      ttl_ms
-- Reply
--   1      1 replaced, 0 another node was first
--
-- Atomic because the node that replaces the state reports the changes, and only one node may.

local key = KEYS[1]
local known, version, state, ttl_ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local stored = redis.call('GET', key)
local current = stored and string.match(stored, '^(%S+) ') or ''
if current ~= known then
  return 0
end
redis.call('SET', key, version .. ' ' .. state, 'PX', ttl_ms)
return 1
