import type { Ticket } from '../ticket';

/** A ticket of a queue. */
export interface QueuedTicket {
  id: string;
  sequence: number;
  joinedAt: number;
  promisedAt: number;
  /** The limit and window of the promise. */
  limit: number;
  windowMs: number;
  request: string;
  /** The fingerprint of the request's input. */
  input: number;
  caller: string;
  /** '' without a share. */
  share: string;
  group: string;
  payload: string;
}

/** A ticket whose turn runs. */
export interface ServedEntry {
  ticket: QueuedTicket;
  /** The instant and the node of the charge. */
  servedAt: number;
  node: string;
}

/** A ticket that has ended. */
interface EndedEntry {
  ticket: QueuedTicket;
  state: 'served' | 'void';
  /** The outcome or the reason. */
  detail: string;
  /** `undefined` if it was not served. */
  servedAt: number | undefined;
  endedAt: number;
}

/** A queue. */
export interface MemoryQueue {
  /** In the order of their sequences. */
  waiting: QueuedTicket[];
  /** By id. */
  served: Map<string, ServedEntry>;
  /** By id, the first to end first. */
  ended: Map<string, EndedEntry>;
  sequence: number;
  version: number;
  isClosed: boolean;
  lease: { node: string; until: number } | undefined;
  /** The last enforced limit and window. */
  numbers: { limit: number; windowMs: number } | undefined;
  /** The last call of each node while turns ran. */
  seen: Map<string, number>;
  total: number;
  late: number;
  lateMs: number;
}

/** The characters of a caller in the id of a ticket. */
const CALLER_CHARACTERS = 11;
const HOUR_MS = 3_600_000;
/** Longer than callers read an ended ticket, because the clock may step back. */
const ENDED_TTL_MS = 2 * HOUR_MS;

/** Creates an empty queue. */
export function createQueueState(): MemoryQueue {
  return {
    waiting: [],
    served: new Map(),
    ended: new Map(),
    sequence: 0,
    version: 0,
    isClosed: false,
    lease: undefined,
    numbers: undefined,
    seen: new Map(),
    total: 0,
    late: 0,
    lateMs: 0,
  };
}

/** Returns the id of the ticket of a caller in a group. */
export function ticketIdOf(owner: string, group: string): string {
  return callerOf(owner) + group;
}

/** Returns the part of an owner in ids. */
export function callerOf(owner: string): string {
  return owner.slice(0, CALLER_CHARACTERS);
}

/** Returns a ticket as callers see it. */
export function toTicket({ id, sequence, group, payload, joinedAt }: QueuedTicket) {
  return { ticketId: `${id}.${sequence}`, group, payload, joinedAt };
}

/** Removes a waiting ticket. */
export function removeWaiting({ waiting }: MemoryQueue, ticket: QueuedTicket): void {
  waiting.splice(waiting.indexOf(ticket), 1);
}

/** Stores a ticket that ends now, and deletes those that ended long ago. */
export function endTicket({ ended }: MemoryQueue, entry: EndedEntry): void {
  for (const [id, { endedAt }] of ended) {
    if (endedAt > entry.endedAt - ENDED_TTL_MS) break;
    ended.delete(id);
  }
  // The newest is the last.
  ended.delete(entry.ticket.id);
  ended.set(entry.ticket.id, entry);
}

/** Returns a ticket that ended in the last hour. */
export function findEnded({ ended }: MemoryQueue, id: string, clock: number): EndedEntry | undefined {
  const entry = ended.get(id);
  return entry && entry.endedAt > clock - HOUR_MS ? entry : undefined;
}

/** Returns an ended ticket as callers see it. */
export function toEnded({ ticket, state, detail, servedAt = 0 }: EndedEntry): Ticket {
  return state === 'served'
    ? { ...toTicket(ticket), state, servedAt, outcome: detail }
    : { ...toTicket(ticket), state, reason: detail };
}
