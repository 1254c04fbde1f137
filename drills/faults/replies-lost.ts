import { setTimeout as sleep } from 'node:timers/promises';
import type { Drill } from '../drill';
import { singleStore } from '../stores';

const LOSING_MS = 4_000;

/** What was charged and sold meanwhile, nobody heard of: a repeated call must find it and not do it again. */
export const repliesLost: Drill = {
  name: 'replies-lost',
  description: 'for 4 s commands reach Redis and its replies are lost',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres'],
  async inject({ topology }) {
    const { proxy } = singleStore(topology);
    proxy.loseReplies();
    await sleep(LOSING_MS);
    proxy.restoreReplies();
  },
};
