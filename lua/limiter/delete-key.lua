-- Deletes one key: a charged request id.
--
-- KEYS
--   1      the request id; expires by itself
-- ARGV
--   none
-- Reply: 1 deleted, 0 no such key
--
-- Atomic because it is one command; a script because the limiter only needs permission for scripts.

local key = KEYS[1]

return redis.call('DEL', key)
