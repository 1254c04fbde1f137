import type { QueueState, ServedTicket, Ticket, Turn, WaitingTicket } from './queue';

/** The effective limit and window of the queue's level. */
export interface QueueNumbers {
  limit: number;
  windowMs: number;
}

/** Reads the fields of a list that a queue script replied. */
export class ListReader {
  readonly #list: readonly unknown[];
  #index = 0;

  constructor(reply: unknown) {
    if (!Array.isArray(reply)) throw new TypeError(`a queue script replied ${JSON.stringify(reply)}`);
    this.#list = reply;
  }

  /** Returns true if all fields were read. */
  get isAtEnd(): boolean {
    return this.#index >= this.#list.length;
  }

  /** Returns the next field. */
  next(): unknown {
    if (this.isAtEnd) throw new TypeError(`a queue script replied too few fields: ${this.#list}`);
    return this.#list[this.#index++];
  }

  text(): string {
    const field = this.next();
    if (typeof field !== 'string') throw new TypeError(`a queue script replied ${JSON.stringify(field)}`);
    return field;
  }

  number(): number {
    const field = this.next();
    const number =
      typeof field === 'number' || (typeof field === 'string' && field !== '') ? Number(field) : NaN;
    if (!Number.isSafeInteger(number)) {
      throw new TypeError(`a queue script replied ${JSON.stringify(field)} instead of a number`);
    }
    return number;
  }
}

/** Splits the reply to a batch of joins. */
export function splitJoins(reply: unknown): unknown[] {
  if (!Array.isArray(reply)) throw new TypeError(`a queue script replied ${JSON.stringify(reply)}`);
  return reply;
}

interface TicketText {
  sequence: string;
  promisedAt: number;
  limit: number;
  windowMs: number;
  ticket: Pick<Turn, 'group' | 'payload' | 'joinedAt'>;
}

/** Decodes the text of a ticket; see lua/limiter/queue.lua. */
function decodeText(text: string): TicketText {
  const [sequence = '', joinedAt, promisedAt, limit, windowMs, ...rest] = text.split('\n');
  const [_request, _input, _share, group, ...payload] = rest;
  if (group === undefined) throw new TypeError('a queue script replied an invalid ticket');
  return {
    sequence,
    promisedAt: Number(promisedAt),
    limit: Number(limit),
    windowMs: Number(windowMs),
    ticket: { group, payload: payload.join('\n'), joinedAt: Number(joinedAt) },
  };
}

/** Splits the first lines from a text. */
function splitLines(text: string, count: number): [lines: string[], rest: string] {
  const lines = text.split('\n');
  return [lines.slice(0, count), lines.slice(count).join('\n')];
}

/** Decodes a waiting ticket after its word `waiting`. */
export function decodeWaiting(reader: ListReader, numbers: QueueNumbers): WaitingTicket {
  const id = reader.text();
  const { sequence, promisedAt, limit, windowMs, ticket } = decodeText(reader.text());
  const [position, ahead, turnAt] = [reader.number(), reader.number(), reader.number()];
  const isStricter = numbers.limit < limit || numbers.windowMs > windowMs;
  return {
    ...{ ticketId: `${id}.${sequence}`, ...ticket, state: 'waiting', position, ahead, turnAt },
    ...(turnAt > promisedAt && { delayedBy: isStricter ? 'limit' : 'late' }),
  };
}

/** Decodes a ticket whose turn runs, after its word `served`. */
export function decodeServed(reader: ListReader): ServedTicket {
  const id = reader.text();
  const [[servedAt], text] = splitLines(reader.text(), 2);
  const { sequence, ticket } = decodeText(text);
  return { ticketId: `${id}.${sequence}`, ...ticket, state: 'served', servedAt: Number(servedAt) };
}

/** Decodes a ticket of the caller. */
export function decodeTicket(reply: unknown, numbers: QueueNumbers): Ticket {
  const reader = new ListReader(reply);
  const kind = reader.text();
  if (kind === 'waiting') return decodeWaiting(reader, numbers);
  if (kind === 'served') return decodeServed(reader);
  const id = reader.text();
  if (kind === 'lost')
    return { ticketId: id, group: '', payload: '', joinedAt: 0, state: 'void', reason: 'lost' };
  const [[state, detail = '', servedAt], text] = splitLines(reader.text(), 4);
  const { sequence, ticket } = decodeText(text);
  const ended = { ticketId: `${id}.${sequence}`, ...ticket };
  return state === 'served'
    ? { ...ended, state, servedAt: Number(servedAt), outcome: detail }
    : { ...ended, state: 'void', reason: detail };
}

/** Decodes the state at the beginning of a reply of queue-mine.lua. */
export function decodeState(reader: ListReader): QueueState {
  const [now, waiting, next, last] = [reader.number(), reader.number(), reader.number(), reader.number()];
  return {
    ...{ now, waiting, nextTurnAt: next || null, lastTurnAt: last || null },
    ...{ unfinished: reader.number(), version: reader.number(), isClosed: reader.number() === 1 },
    ...{ served: reader.number(), late: reader.number(), longestLateMs: reader.number() },
  };
}

/** A turn, with what ends it. */
export interface ServedTurn extends Turn {
  id: string;
  sequence: string;
}

/** Decodes the reply of queue-void.lua: the number of ended tickets, and the member after which the next call continues. */
export function decodeVoid(reply: unknown): { ended: number; continuesAfter: string } {
  const reader = new ListReader(reply);
  return { ended: reader.number(), continuesAfter: reader.text() };
}

/** The reply of queue-serve.lua. Instants that do not exist are 0. */
export interface ServeReply {
  now: number;
  heldUntil: number;
  /** The instant to serve the next tickets. */
  serveAt: number;
  waiting: number;
  /** The limit and window that apply: the last enforced ones. */
  numbers: QueueNumbers;
  turns: ServedTurn[];
}

/** Decodes the reply of queue-serve.lua. */
export function decodeServe(reply: unknown): ServeReply {
  const reader = new ListReader(reply);
  const [now, heldUntil, serveAt] = [reader.number(), reader.number(), reader.number()];
  const waiting = reader.number();
  const numbers = { limit: reader.number(), windowMs: reader.number() };
  const turns: ServedTurn[] = [];
  while (!reader.isAtEnd) {
    const id = reader.text();
    const again = reader.number() === 1;
    const [[servedAt], text] = splitLines(reader.text(), 2);
    const { sequence, promisedAt, ticket } = decodeText(text);
    const ticketId = `${id}.${sequence}`;
    turns.push({ id, sequence, ticketId, ...ticket, servedAt: Number(servedAt), promisedAt, again });
  }
  return { now, heldUntil, serveAt, waiting, numbers, turns };
}
