/** Parts of the product that contenders use. Bundled because Node 20 does not run TypeScript. */

export { rateLimit } from '../../server/limiter/adapters/trpc';
export { createLimiter, resolvePolicy } from '../../server/limiter/index';
export { ioredisStore } from '../../server/limiter/stores';
export { connectRedis } from '../../server/redis/client';
