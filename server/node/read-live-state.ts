import type { RateCounter } from '../fleet/rates';
import { type Limiter, withinStoreTimeout } from '../limiter';
import type { PolicyRegistry } from '../limits/policy-registry';
import { peekGlobalWindows } from '../limits/windows';
import type { LiveState } from '../live/live-hub';
import type { Sale } from '../sale/sale';

const RATES_WAIT_MS = 250;

/** Reads the state that `/api/live` shows. */
export async function readLiveState({
  limiter,
  rates,
  policies,
  listStock,
}: {
  limiter: Limiter;
  rates: Pick<RateCounter, 'readRates'>;
  policies: PolicyRegistry;
  listStock: Sale['listStock'];
}): Promise<LiveState> {
  const [{ windows, serverNow }, totals, stock] = await Promise.all([
    peekGlobalWindows({ limiter, policies }),
    withinStoreTimeout(rates.readRates(policies), RATES_WAIT_MS),
    listStock(),
  ]);
  return { serverNow, windows, rates: totals, stock };
}
