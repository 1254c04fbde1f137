import { type QueueNode, startQueueNode } from '../bench/figures/queue-promises';
import { digits, type Goal, isReached } from '../bench/harness/report';
import type { Drill } from './drill';
import { fullSize } from './run-drill';

/** The result of a measurement, with its goals. */
interface Measured {
  note: string;
  goals: readonly Goal[];
}

/** Returns a drill that measures queues with the code of `npm run bench`, during a small sale, and fails on a missed goal. */
export function judgeNumbers({
  nodes: count,
  measure,
}: {
  nodes: number;
  measure: (nodes: readonly QueueNode[]) => Promise<Measured>;
}): Omit<Drill, 'name' | 'description'> {
  return {
    store: { kind: 'single', appendonly: false },
    ledgers: ['postgres'],
    // More shoppers than coupons: a coupon that returns after a lost reply needs another buyer.
    sizeOn: () => ({ ...fullSize, shoppers: 60, stock: 30 }),
    async inject({ topology, note, reportProblem }) {
      const nodes: QueueNode[] = [];
      try {
        while (nodes.length < count) nodes.push(await startQueueNode(topology.store.url));
        const measured = await measure(nodes);
        note(measured.note);
        for (const goal of measured.goals) {
          const text = `${goal.what}: ${digits(goal.reached.median)}`;
          note(text);
          if (!isReached(goal)) reportProblem(`${text}, which misses its goal`);
        }
      } finally {
        await Promise.all(nodes.map((node) => node.stop()));
      }
    },
  };
}
