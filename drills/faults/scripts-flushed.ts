import { setTimeout as sleep } from 'node:timers/promises';
import { flushScripts } from '../../test/redis';
import type { Drill } from '../drill';
import { clusterStore } from '../stores';

const FLUSHES = 25;
const EVERY_MS = 200;

export const scriptsFlushed: Drill = {
  name: 'scripts-flushed',
  description: 'SCRIPT FLUSH and FUNCTION FLUSH on every Redis, 25 times in 5 s',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology }) {
    const { cluster } = clusterStore(topology);
    for (let flush = 0; flush < FLUSHES; flush++) {
      await Promise.all(cluster.nodes.map(({ client }) => flushScripts(client)));
      await sleep(EVERY_MS);
    }
  },
};
