/** The token bucket of a tutorial, as a script. ARGV: capacity, tokens per second, now in ms. Its key has no expiry. */
export const naiveBucket = `
local capacity, rate, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'time')
local tokens, time = tonumber(state[1]) or capacity, tonumber(state[2]) or now
tokens = math.min(capacity, tokens + (now - time) * rate / 1000)
local allowed = tokens >= 1
redis.call('HSET', KEYS[1], 'tokens', tostring(allowed and tokens - 1 or tokens), 'time', now)
return allowed and 1 or 0`;
