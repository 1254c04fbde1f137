import { AppError } from '../../errors';
import type { Order } from './order';

/** Why an order can be neither paid nor cancelled; `undefined` stands for one that is not in Postgres yet. */
export function notHeldError(
  order: { status: Order['status']; holdUntil: Date | null } | undefined,
): AppError {
  return new AppError('CONFLICT', reason(order));
}

/** Why an order cannot be cancelled while the provider has not decided its payment. */
export function beingPaidError(): AppError {
  return new AppError('CONFLICT', 'A payment of this order is under way. Look again in a moment.');
}

function reason(order: Parameters<typeof notHeldError>[0]): string {
  switch (order?.status) {
    case undefined:
    case 'reserved':
      return 'This order is not confirmed yet.';
    case 'confirmed':
      return order.holdUntil
        ? 'This order was not paid in time.'
        : 'There is nothing to pay for this order: it is final.';
    case 'paid':
      return 'This order is paid, and final.';
    case 'cancelled':
      return 'This order is cancelled.';
    case 'expired':
      return 'This order was not paid in time and has expired.';
  }
}
