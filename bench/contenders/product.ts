/** What of the product a contender is made of: bundled, since Node 20 runs no TypeScript. */
export { createLimiter, rateLimit, resolvePolicy } from '../../server/limiter';
export { readScript } from '../../server/lua-scripts';
export { connectRedis } from '../../server/redis/client';
