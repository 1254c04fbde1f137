import type { Gate } from '../gate/gate';
import { standingGate } from '../gate/standing-gate';
import type { CouponIndex } from './coupon-index';

/** What is left of every seckill on show: by its gate, or by the ledger where the gate has no state. */
export async function stockLeft({
  index,
  gate,
}: {
  index: CouponIndex;
  gate: Gate;
}): Promise<{ couponId: string; remaining: number }[]> {
  const rows = await index.stocked();
  return Promise.all(
    rows.map(async ({ id, left }) => {
      const standing = await standingGate(gate, { couponId: id });
      return { couponId: id, remaining: standing?.remaining ?? left };
    }),
  );
}
