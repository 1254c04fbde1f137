-- Releases a lock if the caller still holds it. The lab measures decisions under this lock.
--
-- KEYS
--   1      string: holder of the lock; expires with the lock
-- ARGV
--   1      holder that releases the lock
-- Reply (integers)
--   1      1 released, 0 held by another caller
--
-- Atomic because the lock can expire and change hands between the read and the deletion.

local key, holder = KEYS[1], ARGV[1]

if redis.call('GET', key) == holder then
  return redis.call('DEL', key)
end
return 0
