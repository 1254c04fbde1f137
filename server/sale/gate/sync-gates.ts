import type { Coupon } from '../coupons/coupon';
import type { CouponIndex } from '../coupons/coupon-index';
import type { Amended, Amendment } from './amend-gate';
import type { Gate } from './gate';

/** Sees to it that gates know what operators changed, and are warm when their sale begins. */
export interface GateWatch {
  /** Call it every second, on any number of nodes. */
  look(): Promise<void>;
}

export interface GateWatchOptions {
  index: Pick<CouponIndex, 'listAmendments' | 'listStartingCoupons'>;
  gate: Pick<Gate, 'purchase'>;
  amendGate: (change: Amendment) => Promise<Amended>;
  /** Has the gate rebuilt, now or soon. */
  markForRebuild: (couponId: string) => unknown;
  log: { info(fields: object, message: string): void };
}

const WAIT_MS = 1_000;

export function createGateWatch({
  index,
  gate,
  amendGate,
  markForRebuild: rebuild,
  log,
}: GateWatchOptions): GateWatch {
  async function amend(change: Amendment): Promise<void> {
    const amended = await amendGate(change);
    if (amended === 'outdated') await rebuild(change.id);
    if (amended === 'amended') {
      const { id: couponId, revision } = change;
      log.info({ couponId, revision }, 'The gate was told what an operator changed.');
    }
  }

  /**
   * Asks for the coupon as if it were of the other kind: refused before anything is written, by the script, the
   * connection and the node of the cluster that decide the first purchase.
   */
  async function warmUp({ id: couponId, kind }: { id: string; kind: Coupon['kind'] }): Promise<void> {
    await gate.purchase({
      couponId,
      kind: kind === 'seckill' ? 'claim' : 'seckill',
      ...{ userId: '', orderId: '', code: '', isReplay: false },
      deadline: performance.now() + WAIT_MS,
    });
  }

  return {
    async look() {
      const [amended, beginning] = [await index.listAmendments(), await index.listStartingCoupons()];
      const looks = await Promise.allSettled([...amended.map(amend), ...beginning.map(warmUp)]);
      const failed = looks.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}
