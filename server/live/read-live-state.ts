import type { DecisionCounter } from '../fleet/decision-counter';
import { type Limiter, withinStoreTimeout } from '../limiter/index';
import { listShownLevels } from '../limits/levels';
import type { PolicyRegistry } from '../limits/policy-registry';
import { peekGlobalWindows } from '../limits/windows';
import type { LiveState } from './live-hub';

const TOTALS_TIMEOUT_MS = 250;

/** Reads the state that `/api/live` shows. */
export async function readLiveState({
  limiter,
  decisionCounter,
  policies,
  listStock,
  queue,
}: {
  limiter: Limiter;
  decisionCounter: Pick<DecisionCounter, 'readTotals'>;
  policies: PolicyRegistry;
  listStock: () => Promise<LiveState['stock']>;
  queue: { readState(): Promise<LiveState['queues'][number]> };
}): Promise<LiveState> {
  const [{ windows, serverNow }, totals, stock, waiting] = await Promise.all([
    peekGlobalWindows({ limiter, policies }),
    withinStoreTimeout(decisionCounter.readTotals(policies), TOTALS_TIMEOUT_MS),
    listStock(),
    queue.readState(),
  ]);
  const levels = listShownLevels({ limiter, policies });
  return { serverNow, windows, rates: totals, stock, queues: [waiting], levels };
}
