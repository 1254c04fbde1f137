import { resolvePolicy } from '../limiter';
import type { Arrivals } from '../limits/arrivals';
import { policies } from '../policies';

/** How calls to buy came lately, whatever became of them, and from nobody in particular. */
export interface SaleTraffic {
  /** The policy that they met. */
  policy: string;
  /** Epoch ms by Redis's clock; between the two no call is missing. */
  from: number;
  to: number;
  /** In ms after `from`, in order: at most 5 000, the newest. */
  arrivals: number[];
}

const seckill = resolvePolicy(policies.seckill, policies.seckill.name);

/** Reads the last minutes of the live sale, on all nodes. */
export function createSaleTraffic({ arrivals }: { arrivals: Pick<Arrivals, 'recent'> }) {
  return async function saleTraffic(): Promise<SaleTraffic> {
    const { from, to, arrivals: recent } = await arrivals.recent(seckill);
    return { policy: seckill.name, from, to, arrivals: recent.map(({ at }) => at - from) };
  };
}
