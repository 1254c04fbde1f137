import type { Drill } from '../drill';

export const everyNodeKilled: Drill = {
  name: 'every-node-killed',
  description: 'kill -9 each of the three nodes, one after the other',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, waitForConfirmed }) {
    for (const [index, { server }] of topology.nodes.entries()) {
      await waitForConfirmed(55 + 10 * index);
      await server.kill();
      await server.waitUntilRunning();
    }
  },
};
