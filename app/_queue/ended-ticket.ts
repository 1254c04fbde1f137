import type { Ticket } from '../_trpc/types';

const END_REASONS = ['sold-out', 'ended', 'closed', 'banned', 'lost'] as const;

/** The reason why a ticket has ended without a coupon. The shopper was not charged. */
export type EndReason = (typeof END_REASONS)[number];

/**
 * Returns why a ticket has ended without a coupon; `undefined` if it has not, or if the shopper has left. A turn that found
 * nothing left ends like a ticket without a turn. An unknown reason, of a newer server, is `lost`.
 */
export function endReasonOf(ticket: Ticket): EndReason | undefined {
  if (ticket.state === 'void') {
    if (ticket.reason === 'left') return undefined;
    return END_REASONS.find((reason) => reason === ticket.reason) ?? 'lost';
  }
  const { outcome } = ticket.state === 'served' ? (ticket.outcome ?? {}) : {};
  return outcome === 'sold-out' || outcome === 'ended' ? outcome : undefined;
}
