/** A sliding log by the caller's time. ARGV: time, window in ms, limit, member of the hit. Returns 1 if it admits. */
export const naiveLogScript = `
local now, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZCARD', KEYS[1]) >= limit then return 0 end
redis.call('ZADD', KEYS[1], now, ARGV[4])
return 1`;
