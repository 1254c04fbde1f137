import type { HistoryPoint } from '../../limits/history';
import type { FleetNode } from '../../limits/rates';
import type { Reading } from './alert-state';

/** The refused share is of this much time. */
export const SHARE_MS = 30_000;
/** Of fewer calls than one a second a share says nothing. */
const FEWEST_CALLS = 30;

/** What the whole fleet's rules are about, as all nodes have told it. */
export function fleetReadings({
  policies,
  points,
  fleet,
}: {
  /** Names. */
  policies: readonly string[];
  /** Of the last 30 s. */
  points: readonly HistoryPoint[];
  fleet: readonly FleetNode[];
}): Reading[] {
  return [
    ...policies.map((policy) => ({
      ...{ rule: 'refused-share' as const, target: policy },
      value: refusedShare(policy, points),
    })),
    {
      rule: 'store-down',
      target: 'postgres',
      value: Number(fleet.some(({ failing }) => failing.includes('postgres'))),
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

/** From 0 to 1. A call that a policy of two levels admits is counted at both: the level with the most has all of them. */
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
  return calls < FEWEST_CALLS ? 0 : refused / calls;
}
