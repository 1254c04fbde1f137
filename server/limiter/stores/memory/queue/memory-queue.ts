import { sha1 } from '@noble/hashes/legacy';
import { bytesToHex } from '@noble/hashes/utils';
import type { Memory } from '../memory';

/** A waiting ticket. */
export interface Ticket {
  id: string;
  sequence: number;
  /** The text of lua/limiter/queue.lua. */
  text: string;
  request: string;
  input: string;
  caller: string;
  /** '' without a share. */
  share: string;
  group: string;
  promisedAt: number;
}

/** A queue. The header of lua/limiter/queue.lua describes its parts. */
export interface MemoryQueue {
  /** In the order of their sequences. */
  waiting: Ticket[];
  /** By id: instant and node of the charge, then the text of the ticket. */
  served: Map<string, string>;
  /** The tickets that ended in an even hour and in an odd hour. */
  ended: [EndedTickets, EndedTickets];
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

interface EndedTickets {
  hour: number;
  tickets: Map<string, string>;
}

/** A script call on a queue. */
export interface QueueCall {
  keys: readonly string[];
  args: readonly string[];
  /** The clock of the store in epoch ms. */
  clock: number;
}

/** The characters of a caller and of a group in the id of a ticket. */
const CALLER_CHARACTERS = 11;
const GROUP_CHARACTERS = 12;
const HOUR_MS = 3_600_000;
/** Longer than the longest wait. The queue of a policy without calls ends then. */
const QUEUE_TTL_MS = 48 * HOUR_MS;

/** Returns the queue of a script call, and keeps it for two days. */
export function queueOf(
  { queues }: Memory,
  { keys: [, waitingKey = ''] }: Pick<QueueCall, 'keys'>,
): MemoryQueue {
  const queue = queues.get(waitingKey) ?? {
    ...{ waiting: [], served: new Map(), sequence: 0, version: 0, isClosed: false, lease: undefined },
    ended: [emptyHour(), emptyHour()],
    ...{ numbers: undefined, seen: new Map(), total: 0, late: 0, lateMs: 0 },
  };
  queues.set(waitingKey, queue, QUEUE_TTL_MS);
  return queue;
}

function emptyHour(): EndedTickets {
  return { hour: -1, tickets: new Map() };
}

/** Returns the clock of a call: that of the caller in its first argument, or that of the store. */
export function clockOf({ args: [callersClock = ''], clock }: QueueCall): number {
  return callersClock === '' ? clock : Number(callersClock);
}

/** Returns the id of the ticket of a caller in a group. */
export function ticketIdOf(owner: string, group: string): string {
  return callerOf(owner) + bytesToHex(sha1(group)).slice(0, GROUP_CHARACTERS);
}

/** Returns the part of an owner in ids. */
export function callerOf(owner: string): string {
  return owner.slice(0, CALLER_CHARACTERS);
}

/** Decodes the text of a ticket. */
export function decodeTicketText(id: string, text: string): Ticket {
  const [sequence, , promisedAt, , , ...rest] = text.split('\n');
  const [request = '', input = '', share = '', group = ''] = rest;
  return {
    ...{ id, text, request, input, share, group, caller: id.slice(0, -GROUP_CHARACTERS) },
    sequence: Number(sequence),
    promisedAt: Number(promisedAt),
  };
}

/** Splits the instant and the node of a charge from the text of a served ticket. */
export function splitServed(stored: string): { servedAt: string; node: string; text: string } {
  const [servedAt = '', node = '', ...lines] = stored.split('\n');
  return { servedAt, node, text: lines.join('\n') };
}

/** Removes a waiting ticket. Returns it, or `undefined` if it does not wait. */
export function removeWaiting({ waiting }: MemoryQueue, id: string): Ticket | undefined {
  const index = waiting.findIndex((ticket) => ticket.id === id);
  return index === -1 ? undefined : waiting.splice(index, 1)[0];
}

/** Stores a ticket that ends now. The detail is one line. */
export function endTicket(
  { ended }: MemoryQueue,
  {
    id,
    text,
    clock,
    ...lines
  }: { id: string; text: string; state: string; detail: string; servedAt: string; clock: number },
): void {
  const hour = Math.floor(clock / HOUR_MS);
  const ofHour = ended[hour % 2 === 0 ? 0 : 1];
  // Each of the two is used every second hour, and emptied before.
  if (ofHour.hour !== hour) Object.assign(ofHour, { hour, tickets: new Map() });
  ofHour.tickets.set(id, [lines.state, lines.detail, lines.servedAt, clock, text].join('\n'));
}

/** Returns the text of a ticket that ended in the last hour. */
export function findEnded({ ended }: MemoryQueue, id: string, clock: number): string | undefined {
  const isOdd = Math.floor(clock / HOUR_MS) % 2 === 1;
  for (const { tickets } of isOdd ? ended.toReversed() : ended) {
    const text = tickets.get(id);
    if (text !== undefined && Number(text.split('\n')[3]) > clock - HOUR_MS) return text;
  }
  return undefined;
}
