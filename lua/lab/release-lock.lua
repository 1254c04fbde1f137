-- Gives a lock back, if it is still the caller's: of the way by a lock, which the lab measures.
--
-- KEYS
--   1      string: who holds the lock; lives as long as the lock does
-- ARGV
--   1      who gives it back
-- Reply (integers)
--   1      1 given back, 0 somebody else's by now
--
-- Atomic because between a look and a deletion the lock may run out and be taken by another.

local key, holder = KEYS[1], ARGV[1]

if redis.call('GET', key) == holder then
  return redis.call('DEL', key)
end
return 0
