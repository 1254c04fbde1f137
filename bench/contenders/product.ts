/** What of the product a contender is made of: bundled, since Node 20 runs no TypeScript. */
export { createLimiter, rateLimit, resolvePolicy } from '../../server/limiter';
export { defineFunction } from '../../server/limiter/lua-function';
export { defineScript } from '../../server/lua-scripts';
export { connectRedis } from '../../server/redis/client';
