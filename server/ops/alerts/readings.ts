import { type Health, isSlow } from '../../finding';
import type { NodeHeartbeat } from '../../fleet/heartbeat';
import type { HistoryPoint } from '../../fleet/history';
import type { Latency } from '../../fleet/totals';
import type { Reading } from './alert-state';

/** Time range of the refused share. */
export const REFUSED_SHARE_MS = 30_000;
/** With fewer calls than one per second, the share means nothing. */
const MIN_CALLS = 30;
/** The p99 of fewer decisions is that of the slowest. */
const MIN_DECISIONS = 100;

/** Returns the readings of the fleet's rules from the history and the heartbeats. */
export function toFleetReadings({
  policies,
  points,
  latency,
  fleet,
}: {
  /** All policies. `isBlocked`: an operator blocks a level, so that its refusals are intended. */
  policies: readonly { name: string; isBlocked: boolean }[];
  /** History of the last 30 s. */
  points: readonly HistoryPoint[];
  /** The decision time of the last minute. */
  latency: Latency | null;
  fleet: readonly NodeHeartbeat[];
}): Reading[] {
  return [
    ...policies.map(({ name, isBlocked }) => ({
      ...{ rule: 'refused-share' as const, target: name },
      value: isBlocked ? 0 : refusedShare(name, points),
    })),
    {
      rule: 'store-down',
      target: 'postgres',
      value: Math.max(0, ...fleet.map(readPostgres)),
    },
    {
      rule: 'slow-decisions',
      target: '',
      value: latency && latency.decisions >= MIN_DECISIONS ? latency.p99Ms : 0,
    },
    {
      rule: 'ledger-lag',
      target: '',
      value: Math.max(0, ...fleet.map(({ ledgerLagMs }) => ledgerLagMs)),
    },
    {
      rule: 'auditor-mismatch',
      target: '',
      value: Math.max(0, ...fleet.map(({ mismatches }) => mismatches)),
    },
  ];
}

/** Returns the value of `store-down`: 0 for a healthy store, 1 for a slow one, 2 for one that does not answer. */
export function readOutage(health: Health): number {
  if (health.ok) return 0;
  return isSlow(health) ? 1 : 2;
}

function readPostgres({ failing, slow }: NodeHeartbeat): number {
  if (!failing.includes('postgres')) return 0;
  return slow.includes('postgres') ? 1 : 2;
}

/** Returns a share from 0 to 1. An admitted call counts at each of its levels, so the level with most admissions has all of them. */
function refusedShare(policy: string, points: readonly HistoryPoint[]): number {
  const admittedAt = new Map<string, number>();
  let refused = 0;
  for (const { levels } of points) {
    for (const rates of levels) {
      if (rates.policy !== policy) continue;
      refused += rates.refused + rates.banned;
      const admitted = rates.admitted + rates.degraded;
      admittedAt.set(rates.level, (admittedAt.get(rates.level) ?? 0) + admitted);
    }
  }
  const calls = refused + Math.max(0, ...admittedAt.values());
  return calls < MIN_CALLS ? 0 : refused / calls;
}
