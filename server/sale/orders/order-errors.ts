import { AppError } from '../../errors';
import type { Order } from './order';

/** Returns the error for an order that can be neither paid nor cancelled; `undefined` means that it is not in Postgres. */
export function notHeldError(
  order: { status: Order['status']; holdUntil: Date | null } | undefined,
): AppError {
  return new AppError('CONFLICT', describeReason(order));
}

/** Returns the error for a cancellation while the provider has not decided a payment. */
export function beingPaidError(): AppError {
  return new AppError('CONFLICT', 'A payment of this order is in progress. Try again in a moment.');
}

function describeReason(order: Parameters<typeof notHeldError>[0]): string {
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
