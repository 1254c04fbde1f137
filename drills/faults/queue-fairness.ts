import { createLab } from '../../server/lab/lab';
import { connectTestRedis } from '../../test/redis';
import { type Drill, fullSize } from '../drill';

const LIMIT = 100;
const MAX_DIFFERENCE = 0.05;

/** The fairness of the queue on the Redis of a small sale, without a fault. */
export const queueFairness: Drill = {
  name: 'queue-fairness',
  description: '450 people press once and 50 pollers call 20 times as often, on a full window of 100 in 10 s',
  store: { kind: 'single', appendonly: false },
  ledgers: ['postgres'],
  // More shoppers than coupons: a coupon that returns after a lost reply needs another buyer.
  sizeOn: () => ({ ...fullSize, shoppers: 60, stock: 30 }),
  async inject({ topology: { store }, note, reportProblem }) {
    const redis = await connectTestRedis(store.url);
    const warn = () => reportProblem('the keys of the experiment were not deleted');
    const lab = createLab({ urls: [store.url], redis, log: { debug: () => undefined, warn } });
    try {
      const callers = { people: 450, pollers: 50, limit: LIMIT, windowMs: 10_000, stock: null };
      const { people, pollers, worst } = (await lab.compareFairness(callers)).queue;
      const [peopleMs, pollersMs] = [people.meanWaitMs ?? Number.NaN, pollers.meanWaitMs ?? Number.NaN];
      const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
      const waits = `450 people waited ${seconds(peopleMs)}, 50 pollers ${seconds(pollersMs)}`;
      note(`${waits}, fullest window ${worst} of ${LIMIT}`);
      if (!(Math.abs(pollersMs / peopleMs - 1) <= MAX_DIFFERENCE)) reportProblem(waits);
      if (worst > LIMIT) reportProblem(`a window admitted ${worst} of ${LIMIT}`);
    } finally {
      await lab.stop();
      redis.disconnect();
    }
  },
};
