import { initTRPC } from '@trpc/server';
import { loadPeer } from './contender.mjs';
import { isAdmitted } from './trpc-caller.mjs';

/** @type {import('./contender.mjs').Contender} */
export const trpcLimiter = {
  name: '@trpc-limiter/redis',
  about:
    'window from the first hit, in whole seconds; through a tRPC caller, on node-redis, which it requires',
  needs: ['@trpc-limiter/redis', 'redis'],
  isOurs: false,
  async open({ redisUrl, prefix, levels }) {
    const [{ createTrpcRedisLimiter }, { createClient }] = await Promise.all([
      loadPeer('@trpc-limiter/redis'),
      loadPeer('redis'),
    ]);
    const client = createClient({ url: redisUrl });
    await client.connect();
    const { procedure, router } = initTRPC.context().create();
    let limited = procedure;
    for (const [index, { limit, windowMs }] of levels.entries()) {
      limited = limited.use(
        createTrpcRedisLimiter({
          redisClient: client,
          max: limit,
          windowMs,
          fingerprint: (/** @type {{ subjects: string[] }} */ { subjects }) =>
            `${prefix}${index}:${subjects[index]}`,
        }),
      );
    }
    const app = router({ decide: limited.query(() => 'ok') });
    return {
      decide: (subjects) => isAdmitted(app.createCaller({ subjects }).decide()),
      stop: () => client.disconnect(),
    };
  },
};
