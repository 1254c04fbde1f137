import { setTimeout as sleep } from 'node:timers/promises';
import { freshPrefix } from '../../test/redis';
import type { Drill } from '../drill';
import { type HeldCall, type LeasePlan, startLeasingNode } from '../leasing-nodes';

const FREEZES = 8;
const IN_FLIGHT = { concurrent: 4, leaseMs: 600 };
const RUNS_MS = 700;
/** Longer than a lease: other calls take the leases of the frozen ones. */
const FROZEN_MS = 1_000;

/** Two processes compete for all leases. The late release of the frozen one must not free a lease of the other. */
export const leaseHolderFrozen: Drill = {
  name: 'lease-holder-frozen',
  description:
    'a process with calls in flight is frozen until their leases have ended (SIGSTOP), eight times',
  store: { kind: 'single', appendonly: false },
  ledgers: ['postgres'],
  async inject({ topology, note, reportProblem }) {
    const plan: LeasePlan = { ...IN_FLIGHT, redisUrl: topology.store.url, prefix: freshPrefix() };
    const calls = new Map<string, HeldCall>();
    const start = () => startLeasingNode(plan, (call) => calls.set(call.id, call));
    const [survivor, holder] = await Promise.all([start(), start()]);
    let takenOver = 0;
    try {
      for (let freeze = 0; freeze < FREEZES; freeze += 1) {
        await sleep(RUNS_MS);
        holder.child.kill('SIGSTOP');
        await sleep(FROZEN_MS / 2);
        const before = calls.size;
        await sleep(FROZEN_MS / 2);
        takenOver += calls.size - before;
        holder.child.kill('SIGCONT');
      }
      await sleep(RUNS_MS);
    } finally {
      await Promise.all([survivor.kill(), holder.kill()]);
    }
    const held = [...calls.values()];
    const most = countMaxConcurrent(held);
    const late = held.filter(({ wasReleased }) => wasReleased === false).length;
    note(
      `${held.length} calls, at most ${most} of ${plan.concurrent} at the same time, ${late} released after their leases`,
    );
    if (most > plan.concurrent) reportProblem(`${most} calls at the same time, of ${plan.concurrent}`);
    if (late === 0) reportProblem('no call released its lease late');
    if (takenOver === 0) reportProblem('no call took the lease of a frozen one');
  },
};

/** Returns the greatest number of periods that have an instant in common. A period contains its start, but not its end. */
export function countMaxConcurrent(periods: readonly { from: number; until: number }[]): number {
  const changes = periods
    .filter(({ from, until }) => from < until)
    .flatMap(({ from, until }) => [
      { at: from, change: 1 },
      { at: until, change: -1 },
    ])
    .sort((one, other) => one.at - other.at || one.change - other.change);
  let now = 0;
  let most = 0;
  for (const { change } of changes) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}
