import { setTimeout as sleep } from 'node:timers/promises';
import { freshPrefix } from '../../test/redis';
import type { Drill } from '../drill';
import { type CountedCall, type SettlePlan, startSettlingNode } from '../settling-nodes';
import { fullestWindow } from '../window-log';

const KILLS = 10;
const KILL_EVERY_MS = 1_000;
const WINDOW = { limit: 200, windowMs: 2_000, maxCost: 20 };

/** Processes reserve up to 20 units a call and settle them. The units of a killed one stay charged. */
export const settlingNodeKilled: Drill = {
  name: 'settling-node-killed',
  description: 'kill -9 a process between the charge of its calls and their settling, ten times',
  store: { kind: 'single', appendonly: false },
  ledgers: ['postgres'],
  async inject({ topology, note, reportProblem }) {
    const plan: SettlePlan = { ...WINDOW, redisUrl: topology.store.url, prefix: freshPrefix() };
    const calls = new Map<string, CountedCall>();
    const start = () => startSettlingNode(plan, (call) => calls.set(call.id, call));
    const survivor = await start();
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const killed = await start();
        await sleep(KILL_EVERY_MS);
        await killed.kill();
      }
    } finally {
      await survivor.kill();
    }
    const counted = [...calls.values()];
    const hits = counted.map(({ at, units }) => [at, units] as const);
    const fullest = fullestWindow(hits, { windowMs: WINDOW.windowMs, cuts: [] });
    note(
      `${counted.length} settling calls, ${fullest} of ${WINDOW.limit} units kept or reserved in the fullest window`,
    );
    if (counted.length < KILLS) reportProblem(`only ${counted.length} calls were admitted`);
    if (fullest > WINDOW.limit) reportProblem(`${fullest} units in a window of ${WINDOW.limit}`);
  },
};
