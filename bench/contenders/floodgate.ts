import { type Algorithm, createLimiter, resolvePolicy } from '../../server/limiter/index';
import { ioredisStore, type Store } from '../../server/limiter/stores';
import { type Contender, connect } from './contender';

/** Level names of a policy with at most two levels. */
const names = ['first', 'second'];
/** The secret of every limiter in the benchmark. */
export const secret = 'the secret of a benchmark, 32 letters';

/**
 * Creates a contender from the product's limiter and client. `algorithm`: of levels without one; default: sliding log.
 * `cacheDenials`: default true. `sheds`: checks cached denials first, like the product's listener; default: false. `isAlone`:
 * each script call carries one decision; default: false.
 */
export function floodgate({
  algorithm = 'sliding-log',
  cacheDenials = true,
  sheds = false,
  isAlone = false,
  ...about
}: {
  name: string;
  about: string;
  algorithm?: Algorithm;
  cacheDenials?: boolean;
  sheds?: boolean;
  isAlone?: boolean;
}): Contender {
  return {
    ...about,
    isOurs: true,
    async open({ redisUrl, prefix, levels }) {
      const { client } = await connect(redisUrl);
      const batching = ioredisStore(client);
      const store = isAlone ? splitBatches(batching) : batching;
      const limiter = createLimiter({ store, secret, prefix, cacheDenials });
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
      const toCall = ([first, second]: readonly string[]) => ({ subjects: { first, second } });
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

/** Gives each command a slot of its own, so that none shares a script call. */
function splitBatches(store: Store): Store {
  let slots = 0;
  return { ...store, slotOf: () => String(slots++) };
}
