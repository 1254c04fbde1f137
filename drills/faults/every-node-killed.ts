import type { Drill } from '../drill';

export const everyNodeKilled: Drill = {
  name: 'every-node-killed',
  what: 'kill -9 each of the three nodes, one after the other',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, untilConfirmed }) {
    for (const [place, { server }] of topology.nodes.entries()) {
      await untilConfirmed(55 + 10 * place);
      await server.kill();
      await server.running();
    }
  },
};
