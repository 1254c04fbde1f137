import type { Ticket } from '../_trpc/types';

/** The sale page reads its tickets at most this often. */
const READ_EVERY_MS = 5_000;
/** The same once a coupon is sold out, ended or closed, which ends its tickets within a second. */
const READ_OVER_EVERY_MS = 1_000;

/** Returns true for a ticket whose turn has not ended. */
export function isWaiting(ticket: Ticket): boolean {
  return ticket.state === 'waiting' || (ticket.state === 'served' && ticket.outcome === undefined);
}

/**
 * Returns the latest ticket of each coupon that waits, or that has ended since this page saw it wait. Older tickets do not
 * concern a visitor who has just come. A ticket that the server does not list is lost if it was last seen waiting.
 */
export function listShownTickets(tickets: readonly Ticket[], seen: ReadonlyMap<string, Ticket>): Ticket[] {
  const listed = new Map(tickets.map((ticket) => [ticket.ticketId, ticket]));
  const known = [...seen.values()].map(
    (ticket) => listed.get(ticket.ticketId) ?? (isWaiting(ticket) ? toLost(ticket) : ticket),
  );
  const shown = new Map<string, Ticket>();
  for (const ticket of [...known, ...tickets.filter(isWaiting)].toSorted(oldestFirst)) {
    shown.set(ticket.couponId, ticket);
  }
  return [...shown.values()];
}

function oldestFirst(one: Ticket, other: Ticket): number {
  return one.joinedAt - other.joinedAt;
}

function toLost({ ticketId, couponId, requestId, joinedAt }: Ticket): Ticket {
  return { ticketId, couponId, requestId, joinedAt, state: 'void', reason: 'lost' };
}

interface LastRead {
  readAt: number;
  /** The number by which the version of the queue has grown since. */
  moves: number;
  now: number;
  /** The coupons that are sold out, ended or closed. */
  overIds: readonly string[];
}

/**
 * Returns the instant of the next read: at a turn, or at once if the queue has moved, but not within 5 s of the last read.
 * Within 1 s of it if the coupon of a ticket is sold out, ended or closed; at once if the store has lost the queue, whose
 * version then falls. `undefined` if no ticket waits.
 */
export function nextReadAt(
  tickets: readonly Ticket[],
  { readAt, moves, now, overIds }: LastRead,
): number | undefined {
  const waiting = tickets.filter(isWaiting);
  if (waiting.length === 0) return undefined;
  if (moves < 0) return now;
  if (moves > 0 && waiting.some(({ couponId }) => overIds.includes(couponId)))
    return Math.max(readAt + READ_OVER_EVERY_MS, now);
  const turns = waiting.map((ticket) => (ticket.state === 'waiting' ? ticket.turnAt : now));
  return Math.max(readAt + READ_EVERY_MS, moves > 0 ? now : Math.min(...turns));
}

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
