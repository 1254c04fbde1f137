import { setTimeout as sleep } from 'node:timers/promises';
import type { Drill } from '../drill';
import { singleStore } from '../stores';

const LOSING_MS = 4_000;

/** Callers receive no reply to charges and sales. A repeated call must find the first result and not repeat the work. */
export const repliesLost: Drill = {
  name: 'replies-lost',
  description: 'for 4 s commands reach Redis, but its replies are lost',
  store: { kind: 'single', appendonly: true },
  ledgers: ['postgres'],
  async inject({ topology }) {
    const { proxy } = singleStore(topology);
    proxy.loseReplies();
    await sleep(LOSING_MS);
    proxy.restoreReplies();
  },
};
