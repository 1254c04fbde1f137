-- Stores which function libraries are in use, and lists those that no node has used for unused_ms.
--
-- KEYS
--   1      hash: library -> epoch ms of its last use; expires when no node has reported a use for twice unused_ms
-- ARGV
--   1      clock: '' for Redis's own, or the caller's in epoch ms (tests)
--   2      unused_ms: how long a library is kept after its last use
--   3      the number of library names that the caller uses
--   4..    library names: first those that the caller uses, then those that Redis holds
-- Reply: the names of the libraries that Redis holds and no node has used for unused_ms
--
-- A library that is not in the hash counts as used now: its nodes may not have reported yet.
-- Atomic because a use that another node reports between reading and removal would be lost.

--- @include "../lib/now.lua"

local uses_key, now, unused_ms = KEYS[1], now_ms(ARGV[1]), tonumber(ARGV[2])
local first_held = 4 + tonumber(ARGV[3])

for index = 4, first_held - 1 do
  redis.call('HSET', uses_key, ARGV[index], string.format('%.0f', now))
end
local unused = {}
for index = first_held, #ARGV do
  local name = ARGV[index]
  local used_at = tonumber(redis.call('HGET', uses_key, name) or now)
  if now - used_at >= unused_ms then
    unused[#unused + 1] = name
    redis.call('HDEL', uses_key, name)
  else
    redis.call('HSETNX', uses_key, name, string.format('%.0f', now))
  end
end
redis.call('PEXPIRE', uses_key, 2 * unused_ms)
return unused
