import { decodeDecision, decodeEach, encodeOne, type ScriptCall } from './codec';
import type {
  JoinCommand,
  JoinReply,
  MineCommand,
  QueueCommand,
  ServeCommand,
  ServeReply,
  TimedCommand,
  VoidCommand,
} from './store';
import { StoreReplyError } from './store-error';
import {
  delayOf,
  type QueueState,
  type ServedTicket,
  type ServedTurn,
  type Ticket,
  type Turn,
  type WaitingTicket,
} from './ticket';

/** Returns the keys that every queue script has; see lua/limiter/queue.lua. */
function listQueueKeys({ keys, level }: Pick<QueueCommand, 'keys' | 'level'>): string[] {
  const parts = ['queue', 'queue:groups', 'queue:tickets', 'queue:served'] as const;
  const others = ['queue:ended-0', 'queue:ended-1', 'queue:state', 'queue:callers'] as const;
  return [keys.level(level), ...[...parts, ...others].map((part) => keys.queue(part))];
}

/** Encodes a batch of calls on one queue. Neighbours with the same numbers and clock are one group. */
export function encodeJoins(batch: readonly TimedCommand<JoinCommand>[]): ScriptCall {
  const [first] = batch;
  const call: ScriptCall = { keys: first ? listQueueKeys(first.command.queue) : [], args: [] };
  let head = '';
  let clock: number | undefined;
  let headIndex = 0;
  let count = 0;
  for (const { command, clock: ownClock } of batch) {
    const ownHead = encodeJoinHead(command.queue);
    if (count === 0 || ownHead !== head || ownClock !== clock) {
      [head, clock, count] = [ownHead, ownClock, 0];
      headIndex = call.args.push(head, 0) - 1;
    }
    count += 1;
    call.args[headIndex] = clock === undefined ? count : `${count} ${clock}`;
    const { owner, group, share, request, payload, all, own } = command;
    call.args.push(owner, group, share, request, all.request?.input ?? 1, payload);
    encodeOne(call, all);
    encodeOne(call, own);
  }
  return call;
}

function encodeJoinHead(queue: JoinCommand['queue']): string {
  const { limit, windowMs, maxLength, maxWaitMs, maxOfCaller, maxOfShare, node } = queue;
  return [limit, windowMs, maxLength, maxWaitMs, maxOfCaller, maxOfShare, node].join(' ');
}

/** Encodes a call of queue-serve.lua. */
export function encodeServe(command: ServeCommand, clock: number | undefined): ScriptCall {
  const { limit, windowMs, isEnforced, node, leaseMs, maxServed, requestTtlMs, recovers } = command;
  const { pausedGroups, ended } = command;
  return {
    keys: [...listQueueKeys(command), command.requestStart],
    args: [
      ...[clock ?? '', limit, windowMs, isEnforced ? 1 : 0],
      ...[node, leaseMs, maxServed, requestTtlMs, recovers ? 1 : 0],
      ...[pausedGroups.length, ...pausedGroups],
      ...ended.flatMap(({ id, sequence, state, detail }) => [id, sequence, state, detail]),
    ],
  };
}

/** Encodes a call of queue-mine.lua. */
export function encodeMine(command: MineCommand, clock: number | undefined): ScriptCall {
  const { limit, windowMs, owner, groups, ticketIds } = command;
  const sent = groups === 'all' ? ['all'] : [groups.length, ...groups];
  const args = [clock ?? '', limit, windowMs, owner, ...sent, ...ticketIds];
  return { keys: listQueueKeys(command), args };
}

/** Encodes a call of queue-void.lua. */
export function encodeVoid(command: VoidCommand, clock: number | undefined): ScriptCall {
  const { kind, target, ticketId, reason, after } = command;
  return { keys: listQueueKeys(command), args: [clock ?? '', kind, target, ticketId, reason, after] };
}

type QueueNumbers = Pick<QueueCommand, 'limit' | 'windowMs'>;

/** Reads the fields of a list that a queue script replied. */
class ListReader {
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
    if (!Number.isSafeInteger(number))
      throw new TypeError(`a queue script replied ${JSON.stringify(field)} instead of a number`);
    return number;
  }
}

/** Decodes the reply to a batch of joins. */
export function decodeJoins(
  batch: readonly TimedCommand<JoinCommand>[],
  reply: unknown,
): (JoinReply | Error)[] {
  if (!Array.isArray(reply)) throw new TypeError(`queue-join.lua replied ${JSON.stringify(reply)}`);
  return decodeEach(batch, reply, decodeJoin);
}

function decodeJoin({ queue, all, own }: JoinCommand, reply: unknown): JoinReply | Error {
  const reader = new ListReader(reply);
  const kind = reader.text();
  const now = reader.number();
  if (kind === 'conflict') return { kind, now, reason: reader.text() === 'request' ? 'request' : 'tickets' };
  if (kind !== 'decided') {
    const ticket = kind === 'served' ? decodeServed(reader) : decodeWaiting(reader, queue);
    return { kind: 'ticket', now, ticket };
  }
  const text = reader.text();
  const isOwn = reader.number() === 1;
  const waitMs = reader.number();
  if (text.startsWith('-')) return new StoreReplyError(text.slice(1));
  return { kind, now, decision: decodeDecision((isOwn ? own : all).policyArgs, text), isOwn, waitMs };
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
function decodeWaiting(reader: ListReader, numbers: QueueNumbers): WaitingTicket {
  const id = reader.text();
  const { sequence, promisedAt, limit, windowMs, ticket } = decodeText(reader.text());
  const [position, ahead, turnAt] = [reader.number(), reader.number(), reader.number()];
  const promise = { promisedAt, limit, windowMs };
  return {
    ticketId: `${id}.${sequence}`,
    ...ticket,
    state: 'waiting',
    position,
    ahead,
    turnAt,
    ...delayOf({ turnAt, promise, numbers }),
  };
}

/** Decodes a ticket whose turn runs, after its word `served`. */
function decodeServed(reader: ListReader): ServedTicket {
  const id = reader.text();
  const [[servedAt], text] = splitLines(reader.text(), 2);
  const { sequence, ticket } = decodeText(text);
  return { ticketId: `${id}.${sequence}`, ...ticket, state: 'served', servedAt: Number(servedAt) };
}

/** Decodes a ticket of the caller. */
function decodeTicket(reply: unknown, numbers: QueueNumbers): Ticket {
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
function decodeState(reader: ListReader): QueueState {
  const [now, waiting, next, last] = [reader.number(), reader.number(), reader.number(), reader.number()];
  return {
    now,
    waiting,
    nextTurnAt: next || null,
    lastTurnAt: last || null,
    unfinished: reader.number(),
    version: reader.number(),
    isClosed: reader.number() === 1,
    served: reader.number(),
    late: reader.number(),
    longestLateMs: reader.number(),
  };
}

/** Decodes the reply of queue-mine.lua. */
export function decodeMine(numbers: QueueNumbers, reply: unknown): { state: QueueState; tickets: Ticket[] } {
  const reader = new ListReader(reply);
  const state = decodeState(reader);
  const tickets: Ticket[] = [];
  while (!reader.isAtEnd) tickets.push(decodeTicket(reader.next(), numbers));
  return { state, tickets };
}

/** Decodes the reply of queue-void.lua: the number of ended tickets, and the member after which the next call continues. */
export function decodeVoid(reply: unknown): { ended: number; continuesAfter: string } {
  const reader = new ListReader(reply);
  return { ended: reader.number(), continuesAfter: reader.text() };
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
