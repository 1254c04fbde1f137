import { readStored, writeStored } from '../_live/browser-storage';
import { hasFields, isListOf, parseJson } from '../_live/parse-json';
import type { Ticket } from '../_trpc/types';

export interface TitledTicket {
  ticket: Ticket;
  /** The title of its coupon. */
  title: string;
  /** The stock of its coupon when it was read; 0 for one that has ended. Absent: unknown. */
  left?: number | undefined;
}

/** A ticket that a page of this browser has seen waiting. */
interface StoredTicket extends Pick<Ticket, 'ticketId' | 'couponId' | 'requestId' | 'joinedAt'> {
  userId: string;
  title: string;
  seenAt: number;
}

const STORAGE_KEY = 'floodgate.queue.tickets';
/**
 * Within this time, `queue.mine` lists each ticket that the store has: it reads the coupons whose next round opened in the
 * last 10 minutes. So a ticket that it does not list is lost.
 */
const KEPT_MS = 9 * 60_000;

/**
 * Returns the tickets of a user that pages of this browser have seen waiting in the last 9 minutes. Their state is `lost`: the
 * caller replaces those that the server lists.
 */
export function readSeenTickets(userId: string): TitledTicket[] {
  return parseSeenTickets(readStored(STORAGE_KEY), { userId, now: Date.now() });
}

/** Stores tickets that wait now, for the next pages of this browser. */
export function storeSeenTickets(userId: string, waiting: readonly TitledTicket[]): void {
  if (waiting.length > 0) {
    const kept = addSeenTickets(readStored(STORAGE_KEY), waiting, { userId, now: Date.now() });
    writeStored(STORAGE_KEY, kept);
  }
}

interface Reading {
  userId: string;
  /** Epoch ms by the clock of the browser. */
  now: number;
}

/** Parses stored tickets. Returns none for an invalid or missing text. */
export function parseSeenTickets(text: string, { userId, now }: Reading): TitledTicket[] {
  return parseStored(text, now)
    .filter((stored) => stored.userId === userId)
    .map(({ title, ticketId, couponId, requestId, joinedAt }) => ({
      ticket: { ticketId, couponId, requestId, joinedAt, state: 'void', reason: 'lost' },
      title,
    }));
}

/** Returns the text with waiting tickets added, and without those that are too old. */
export function addSeenTickets(
  text: string,
  waiting: readonly TitledTicket[],
  { userId, now }: Reading,
): string {
  const ids = new Set(waiting.map(({ ticket }) => ticket.ticketId));
  const others = parseStored(text, now).filter(({ ticketId }) => !ids.has(ticketId));
  const added = waiting.map(
    ({ ticket: { ticketId, couponId, requestId, joinedAt }, title }): StoredTicket => ({
      ...{ ticketId, couponId, requestId, joinedAt },
      ...{ userId, title, seenAt: now },
    }),
  );
  return JSON.stringify([...others, ...added]);
}

function parseStored(text: string, now: number): StoredTicket[] {
  const stored = parseJson(text);
  return isListOf(stored, isStoredTicket) ? stored.filter(({ seenAt }) => now - seenAt < KEPT_MS) : [];
}

function isStoredTicket(value: unknown): value is StoredTicket {
  const texts = ['ticketId', 'couponId', 'requestId', 'userId', 'title'];
  return hasFields(value, { texts, numbers: ['joinedAt', 'seenAt'] });
}
