import { listFairnessGoals, waitOf } from '../../bench/figures/queue-promises';
import type { Drill } from '../drill';
import { judgeNumbers } from '../queue-numbers';

/** The fairness of the queue, as in docs/benchmarks.md. No fault: the sale runs at the same time. */
export const queueFairness: Drill = {
  ...judgeNumbers({
    nodes: 1,
    async measure([node]) {
      const fairness = await node?.call('fairness', { stock: null });
      if (!fairness) throw new Error('No node of the queue started.');
      const [people, pollers] = [waitOf(fairness.queue.people), waitOf(fairness.queue.pollers)];
      const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
      return {
        note: `450 people waited ${seconds(people)}, 50 pollers ${seconds(pollers)}`,
        goals: listFairnessGoals(fairness),
      };
    },
  }),
  name: 'queue-fairness',
  description: '450 people press once and 50 pollers call 20 times as often, on a full window of 100 in 10 s',
};
