import type { Coupon } from '../coupons/coupon';
import type { CouponIndex } from '../coupons/coupon-index';
import type { Amended, Amendment } from './amend-gate';
import type { Gate } from './gate';

const WAIT_MS = 1_000;

/**
 * Creates the job that sends operators' changes to the gates and warms up the gates of sales that are about to begin. Run
 * it every second, on any number of nodes.
 */
export function createSyncGates({
  index,
  gate,
  amendGate,
  markForRebuild,
  log,
}: {
  index: Pick<CouponIndex, 'listAmendments' | 'listStartingCoupons'>;
  gate: Pick<Gate, 'purchase'>;
  amendGate: (amendment: Amendment) => Promise<Amended>;
  markForRebuild: (couponId: string) => void;
  log: { info(fields: object, message: string): void };
}): () => Promise<void> {
  async function amend(amendment: Amendment): Promise<void> {
    const amended = await amendGate(amendment);
    if (amended === 'outdated') markForRebuild(amendment.id);
    if (amended === 'amended') {
      const { id: couponId, revision } = amendment;
      log.info({ couponId, revision }, "The gate has an operator's change now.");
    }
  }

  /**
   * Sends a purchase of the other kind. The script refuses it before it writes anything, and it opens the connection to
   * the cluster node that decides the first purchase.
   */
  async function warmUp({ id: couponId, kind }: { id: string; kind: Coupon['kind'] }): Promise<void> {
    await gate.purchase({
      couponId,
      kind: kind === 'seckill' ? 'claim' : 'seckill',
      ...{ userId: '', orderId: '', code: '', isReplay: false },
      deadline: performance.now() + WAIT_MS,
    });
  }

  return async function syncGates() {
    const [amendments, starting] = [await index.listAmendments(), await index.listStartingCoupons()];
    const results = await Promise.allSettled([...amendments.map(amend), ...starting.map(warmUp)]);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };
}
