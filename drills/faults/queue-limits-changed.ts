import { setTimeout as sleep } from 'node:timers/promises';
import type { Drill } from '../drill';
import { awaitTickets, queueSale } from '../queue-size';

const CHANGES = [50, 100, 50, 100];
/** Half a window. */
const EVERY_MS = 2_000;

/** The bound of a window is the effective limit at its end. */
export const queueLimitsChanged: Drill = {
  ...queueSale,
  name: 'queue-limits-changed',
  description: 'an operator halves and doubles the limit twice while 500 tickets wait',
  store: { kind: 'cluster' },
  async inject(scene) {
    await awaitTickets(scene);
    scene.markFault();
    for (const limit of CHANGES) {
      await scene.changeLimit(limit);
      await sleep(EVERY_MS);
    }
  },
};
