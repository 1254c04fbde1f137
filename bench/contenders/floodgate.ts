import { initTRPC, TRPCError } from '@trpc/server';
import { type RateLimitContext, rateLimit } from '../../server/limiter/adapters/trpc';
import { type Algorithm, createLimiter, resolvePolicy } from '../../server/limiter/index';
import { ioredisStore } from '../../server/limiter/stores';
import { type Contender, connect } from './contender';

/** Level names of a policy with at most three levels. */
const names = ['first', 'second', 'third'];
/** The secret of every limiter in the benchmark. */
export const secret = 'the secret of a benchmark, 32 letters';

/**
 * Creates a contender from the product's limiter and client. `algorithm`: of levels without one; default: sliding log.
 * `cacheDenials`: default true. `sheds`: checks cached denials first, like the product's listener; default: false.
 */
export function floodgate({
  algorithm = 'sliding-log',
  cacheDenials = true,
  sheds = false,
  ...about
}: {
  name: string;
  about: string;
  algorithm?: Algorithm;
  cacheDenials?: boolean;
  sheds?: boolean;
  isUnbatched?: boolean;
}): Contender {
  return {
    ...about,
    needs: [],
    isOurs: true,
    async open({ redisUrl, prefix, levels }) {
      const { client } = await connect(redisUrl);
      const limiter = createLimiter({ store: ioredisStore(client), secret, prefix, cacheDenials });
      const policy = resolvePolicy<unknown>(
        {
          name: 'bench',
          levels: levels.map((level, index) => ({
            algorithm,
            ...level,
            level: names[index] ?? '',
            by: () => '',
          })),
          message: { en: 'Wait.' },
        },
        'bench',
      );
      const toCall = ([first, second, third]: readonly string[]) => ({ subjects: { first, second, third } });
      const decide = async (subjects: readonly string[]) =>
        (await limiter.decide(policy, toCall(subjects))).allowed;
      if (!sheds) return { decide };
      return {
        decide: (subjects) =>
          limiter.cachedRefusal(policy, toCall(subjects)) === undefined && decide(subjects),
      };
    },
  };
}

/** Creates a contender from the product's middleware and an empty procedure. Each call has its own tRPC caller. */
export function floodgateCaller({ isUnbatched }: { isUnbatched: boolean }): Contender {
  return {
    name: `Floodgate's middleware${isUnbatched ? ', unbatched' : ''}`,
    about: 'sliding log, through a tRPC caller',
    needs: [],
    isOurs: true,
    isUnbatched,
    async open({ redisUrl, prefix, levels: [level] }) {
      const { client } = await connect(redisUrl);
      const limiter = createLimiter({ store: ioredisStore(client), secret, prefix });
      const { procedure, router } = initTRPC.context<RateLimitContext>().create();
      const limited = rateLimit<RateLimitContext>({
        name: 'bench',
        levels: [{ limit: 1, windowMs: 1, ...level, level: 'user' }],
        message: { en: 'Wait.' },
      });
      const app = router({ decide: procedure.use(limited).query(() => 'ok') });
      return {
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

/** A middleware without a decision and without Redis: the upper bound of any limiter in tRPC. */
export const emptyMiddleware: Contender = {
  name: 'tRPC, a middleware that does nothing',
  about: 'decides nothing, without Redis: the cost of a tRPC caller',
  needs: [],
  isOurs: false,
  async open() {
    const { procedure, router } = initTRPC.context().create();
    const app = router({ decide: procedure.use(({ next }) => next()).query(() => 'ok') });
    return { decide: (subjects) => isAdmitted(app.createCaller({ subjects }).decide()) };
  },
};

/** Returns false for a call that a limiter refused. */
export async function isAdmitted(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof TRPCError && error.code === 'TOO_MANY_REQUESTS') return false;
    throw error;
  }
}
