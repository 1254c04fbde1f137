import type { CouponCommands } from '../coupons/coupon-commands';
import type { SaleQueue } from './sale-queue';

/** Returns the operators' commands. A closed coupon ends its tickets. */
export function endTicketsOnClose(
  commands: CouponCommands,
  queue: Pick<SaleQueue, 'endClosed'>,
): CouponCommands {
  return {
    ...commands,
    async close(id, operator) {
      const coupon = await commands.close(id, operator);
      await queue.endClosed(id);
      return coupon;
    },
  };
}
