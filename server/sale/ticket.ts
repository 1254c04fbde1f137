import { z } from 'zod';
import type { Ticket } from '../limiter/queue';
import type { PurchaseOutcome } from './purchase';

/** A shopper's ticket in the queue of a sale. Instants are epoch ms by Redis's clock. */
export type SaleTicket = SaleTicketBase &
  (
    | {
        state: 'waiting';
        /** From 1, over all waiting tickets. */
        position: number;
        /** The waiting tickets before it for the same coupon. */
        ahead: number;
        /** The upper bound of its turn. */
        turnAt: number;
        /** The reason why `turnAt` is later than promised; absent if it is not later. */
        delayedBy?: 'limit' | 'late' | undefined;
      }
    /** `outcome` is the answer of `coupon.seckill`; absent until the purchase has ended. */
    | { state: 'served'; servedAt: number; outcome?: PurchaseOutcome | undefined }
    /** `reason`: left, sold-out, ended, closed, lost or banned. */
    | { state: 'void'; reason: string }
  );

interface SaleTicketBase {
  ticketId: string;
  couponId: string;
  /** The request id of the purchase. */
  requestId: string;
  joinedAt: number;
}

/** The purchase that a turn makes. `policies.seckill` writes it. */
export interface TicketPayload {
  userId: string;
  requestId: string;
}

const payloadSchema = z.object({ userId: z.string(), requestId: z.string() });

/**
 * Decodes a payload. Returns undefined for '', the payload of a ticket that the store has lost. Throws for any other
 * invalid text.
 */
export function decodePayload(text: string): TicketPayload | undefined {
  return text === '' ? undefined : payloadSchema.parse(JSON.parse(text));
}

/** Returns a ticket of the limiter as the sale shows it. */
export function toSaleTicket(ticket: Ticket): SaleTicket {
  const { ticketId, group: couponId, joinedAt } = ticket;
  const base = { ticketId, couponId, joinedAt, requestId: decodePayload(ticket.payload)?.requestId ?? '' };
  if (ticket.state === 'void') return { ...base, state: 'void', reason: ticket.reason };
  if (ticket.state === 'served') {
    const outcome =
      ticket.outcome === undefined ? undefined : (JSON.parse(ticket.outcome) as PurchaseOutcome);
    return { ...base, state: 'served', servedAt: ticket.servedAt, outcome };
  }
  const { position, ahead, turnAt, delayedBy } = ticket;
  return { ...base, state: 'waiting', position, ahead, turnAt, delayedBy };
}
