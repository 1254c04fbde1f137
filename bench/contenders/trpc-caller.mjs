import { initTRPC, TRPCError } from '@trpc/server';
import { loadLimiter } from './bundles.mjs';
import { connect } from './connect.mjs';

/**
 * The product's middleware before a procedure that does nothing, called as a request would: a caller for each.
 *
 * @param {'together' | 'alone'} variant
 * @returns {import('./contender.mjs').Contender}
 */
export function floodgateCaller(variant) {
  return {
    name: `Floodgate's middleware${variant === 'alone' ? ', each call a script' : ''}`,
    about: 'sliding log, through a tRPC caller',
    needs: [],
    isOurs: true,
    keepsHits: true,
    async open({ redisUrl, prefix, levels: [level] }) {
      const { createLimiter, rateLimit } = await loadLimiter(variant);
      const { client, stop } = await connect(redisUrl);
      const limiter = createLimiter({ redis: client, secret: 'bench', prefix });
      const { procedure, router } =
        /** @type {typeof initTRPC.context<import('../../server/limiter').RateLimitContext>} */ (
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
 * A middleware that decides nothing, without any Redis: what tRPC leaves to whoever limits a procedure.
 *
 * @type {import('./contender.mjs').Contender}
 */
export const emptyMiddleware = {
  name: 'tRPC, a middleware that does nothing',
  about: 'decides nothing and asks nobody: the way through a tRPC caller',
  needs: [],
  isOurs: false,
  keepsHits: false,
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
