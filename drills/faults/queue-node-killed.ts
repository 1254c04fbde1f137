import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../test/until';
import type { Drill, Scene } from '../drill';
import { awaitTickets, queueSale } from '../queue-size';
import type { DrillNode } from '../topology';

const KILLS = 3;
/** A place that is free when the serving node dies is charged by another node within this time: its lease is 500 ms. */
const TAKEOVER_MS = 1_000;
/** At 25 tickets a second, the serving node serves several in this time. */
const SAMPLE_MS = 600;

export const queueNodeKilled: Drill = {
  ...queueSale,
  // Twice as many coupons as in the other drills: tickets must wait until the third kill, and a killed node starts slowly.
  sizeOn: () => ({ ...queueSale.sizeOn(), shoppers: 2_100, stock: 1_400 }),
  queue: { ...queueSale.queue, maxFreeMs: TAKEOVER_MS },
  name: 'queue-node-killed',
  description: 'kill -9 the node that serves the queue, three times, while 500 tickets wait',
  store: { kind: 'cluster' },
  async inject(scene) {
    const { topology, markFault, markDelay, reportProblem } = scene;
    await awaitTickets(scene);
    markFault();
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const serving = await findServingNode(scene);
      if (!serving) return reportProblem(`no node served a ticket before kill ${kill}`);
      const others = topology.nodes.filter((node) => node !== serving);
      const before = await countServed(others);
      markDelay(TAKEOVER_MS);
      await serving.server.kill();
      const isTakenOver = async () => (await countServed(others)) > before;
      if (!(await until(isTakenOver, { withinMs: 2 * TAKEOVER_MS })))
        reportProblem(`no other node served a ticket within ${2 * TAKEOVER_MS} ms of kill ${kill}`);
      await serving.server.waitUntilRunning();
    }
  },
};

/** Returns the node that serves tickets now. */
async function findServingNode({ topology }: Scene): Promise<DrillNode | undefined> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const before = await Promise.all(topology.nodes.map((node) => countServed([node])));
    await sleep(SAMPLE_MS);
    const after = await Promise.all(topology.nodes.map((node) => countServed([node])));
    const serving = topology.nodes.filter((_node, index) => (after[index] ?? 0) > (before[index] ?? 0));
    if (serving.length === 1) return serving[0];
  }
  return undefined;
}

/** Returns the number of tickets that nodes have served since their start. */
async function countServed(nodes: readonly DrillNode[]): Promise<number> {
  const counts = await Promise.all(
    nodes.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^floodgate_queue_served_total\{policy="coupon.seckill"\} (\d+)/m.exec(text)?.[1] ?? 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
