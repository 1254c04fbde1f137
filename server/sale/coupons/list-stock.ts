import type { Gate } from '../gate/gate';
import { readCurrentState } from '../gate/standing-gate';
import type { CouponIndex } from './coupon-index';

/** What is left of every seckill on show: by its gate, or by the ledger where the gate has no state. */
export async function listStock({
  index,
  gate,
}: {
  index: CouponIndex;
  gate: Gate;
}): Promise<{ couponId: string; remaining: number }[]> {
  const rows = await index.listStockedCoupons();
  return Promise.all(
    rows.map(async ({ id, left }) => {
      const standing = await readCurrentState(gate, { couponId: id });
      return { couponId: id, remaining: standing?.remaining ?? left };
    }),
  );
}
