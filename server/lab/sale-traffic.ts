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

/** As many as one run of the lab takes. */
const MOST = 5_000;

const seckill = resolvePolicy(policies.seckill, policies.seckill.name);

/** Reads the last minutes of the live sale, on all nodes. */
export function createSaleTraffic({ arrivals }: { arrivals: Pick<Arrivals, 'recent'> }) {
  return async function saleTraffic(): Promise<SaleTraffic> {
    const { from: known, to, arrivals: decided } = await arrivals.recent(seckill);
    // A call whose excluded level was charged after its first decision was decided twice, the second time without a user.
    const recent = decided.filter(({ subjects }) => subjects[0] !== null);
    const lastLeft = recent.at(-MOST - 1);
    const from = lastLeft ? lastLeft.at + 1 : known;
    const newest = recent.filter(({ at }) => at >= from);
    return { policy: seckill.name, from, to, arrivals: newest.map(({ at }) => at - from) };
  };
}
