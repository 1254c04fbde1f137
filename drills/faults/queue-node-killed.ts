import type { Drill } from '../drill';
import { queueSale, WAITING } from '../queue-size';

/** Kills each node in turn, so one of them serves the queue. */
export const queueNodeKilled: Drill = {
  ...queueSale,
  name: 'queue-node-killed',
  description: 'kill -9 one node after another while 500 tickets wait',
  store: { kind: 'cluster' },
  async inject({ topology, waitForWaiting, markFault, reportProblem }) {
    if (!(await waitForWaiting(WAITING))) reportProblem('too few tickets wait');
    markFault();
    for (const { server } of topology.nodes) {
      await server.kill();
      await server.waitUntilRunning();
    }
  },
};
