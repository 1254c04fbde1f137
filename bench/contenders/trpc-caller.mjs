import { initTRPC, TRPCError } from '@trpc/server';
import { loadLimiter } from './bundles.mjs';
import { connect } from './connect.mjs';

/**
 * Creates a contender from the product's middleware and an empty procedure. Each call has its own tRPC caller.
 *
 * @param {'together' | 'alone'} variant
 * @returns {import('./contender.mjs').Contender}
 */
export function floodgateCaller(variant) {
  return {
    name: `Floodgate's middleware${variant === 'alone' ? ', unbatched' : ''}`,
    about: 'sliding log, through a tRPC caller',
    needs: [],
    isOurs: true,
    async open({ redisUrl, prefix, levels: [level] }) {
      const { createLimiter, ioredisStore, rateLimit } = await loadLimiter(variant);
      const { client, stop } = await connect(redisUrl);
      const limiter = createLimiter({
        store: ioredisStore(client),
        secret: 'the secret of a benchmark, 32 letters',
        prefix,
      });
      const { procedure, router } =
        /** @type {typeof initTRPC.context<import('../../server/limiter/adapters/trpc').RateLimitContext>} */ (
          initTRPC.context
        )().create();
      const limited = rateLimit({
        name: 'bench',
        levels: [{ limit: 1, windowMs: 1, ...level, level: 'user' }],
        message: { en: 'Wait.' },
      });
      const app = router({ decide: procedure.use(limited).query(() => 'ok') });
      return {
        stop,
        decide([user]) {
          const caller = app.createCaller({
            rateLimit: { limiter, caller: { user }, language: 'en', decisions: [] },
          });
          return isAdmitted(caller.decide());
        },
      };
    },
  };
}

/**
 * A middleware without a decision and without Redis: the upper bound of any limiter in tRPC.
 *
 * @type {import('./contender.mjs').Contender}
 */
export const emptyMiddleware = {
  name: 'tRPC, a middleware that does nothing',
  about: 'decides nothing, without Redis: the cost of a tRPC caller',
  needs: [],
  isOurs: false,
  async open() {
    const { procedure, router } = initTRPC.context().create();
    const app = router({ decide: procedure.use(({ next }) => next()).query(() => 'ok') });
    return {
      decide: (subjects) => isAdmitted(app.createCaller({ subjects }).decide()),
      stop: async () => undefined,
    };
  },
};

/** @param {Promise<unknown>} call */
export async function isAdmitted(call) {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof TRPCError && error.code === 'TOO_MANY_REQUESTS') return false;
    throw error;
  }
}
