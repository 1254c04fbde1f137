import type { Arrivals } from '../fleet/arrivals';
import { resolvePolicy } from '../limiter/index';
import { policies } from '../policies';

/** Anonymous arrival times of recent purchase calls, admitted and refused. */
export interface SaleTraffic {
  /** The policy of the calls. */
  policy: string;
  /** Start of the complete recording, epoch ms on Redis's clock. */
  from: number;
  to: number;
  /** Offsets from `from` in ms, ascending: the newest 5,000. */
  arrivals: number[];
}

/** Maximum number of arrivals in one run of the lab. */
const MAX_ARRIVALS = 5_000;

const seckill = resolvePolicy(policies.seckill, policies.seckill.name);

/** Creates the reader of the live sale's recent calls on all nodes. */
export function createReadSaleTraffic({ arrivals }: { arrivals: Pick<Arrivals, 'readRecent'> }) {
  return async function readSaleTraffic(): Promise<SaleTraffic> {
    const { from: known, to, arrivals: decided } = await arrivals.readRecent(seckill);
    // A call that charged an excluded level later has two decisions. The second has no user.
    const recent = decided.filter(({ subjects }) => subjects[0] !== null);
    const lastLeft = recent.at(-MAX_ARRIVALS - 1);
    const from = lastLeft ? lastLeft.at + 1 : known;
    const newest = recent.filter(({ at }) => at >= from);
    return { policy: seckill.name, from, to, arrivals: newest.map(({ at }) => at - from) };
  };
}
