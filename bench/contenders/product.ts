/** Parts of the product that contenders use. Bundled because Node 20 does not run TypeScript. */
export { createLimiter, rateLimit, resolvePolicy } from '../../server/limiter';
export { defineFunction } from '../../server/limiter/stores/lua-function';
export { defineScript } from '../../server/limiter/stores/lua-scripts';
export { connectRedis } from '../../server/redis/client';
