import { keepPromises, listPromiseGoals } from '../../bench/figures/queue-promises';
import type { Drill } from '../drill';
import { judgeNumbers } from '../queue-numbers';

/** The promises of the queue, as in docs/benchmarks.md. It takes 20 windows of 10 s. */
export const queuePromises: Drill = {
  ...judgeNumbers({
    nodes: 2,
    async measure(nodes) {
      const promises = await keepPromises(nodes, { tickets: 2_000, limit: 100, windowMs: 10_000 });
      return { note: `${promises.tickets} tickets served`, goals: listPromiseGoals(promises) };
    },
  }),
  name: 'queue-promises',
  description: 'two nodes serve 2,000 tickets behind a window of 100 in 10 s, with direct calls all the time',
};
