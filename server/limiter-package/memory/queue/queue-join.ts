import { decideOne } from '../batch';
import type { Memory } from '../memory';
import {
  clockOf,
  decodeTicketText,
  type MemoryQueue,
  type QueueCall,
  queueOf,
  splitServed,
  ticketIdOf,
} from './memory-queue';
import { describeWaiting } from './queue-mine';
import { loadQueuedLog, type QueuedLog } from './queued-log';

const QUEUE_KEYS = 8;
const FIRST_ARG = 13;

/** Decides a call that may wait. Replies like lua/limiter/queue-join.lua. */
export function joinQueue(memory: Memory, call: QueueCall): unknown[] {
  const { keys, args } = call;
  const [, owner = '', group = '', request = '', input = '', limit = '', windowMs = '', ...rest] = args;
  const [maxLength, maxWaitMs, node = '', payload = '', keyCount, argCount] = rest;
  const clock = clockOf(call);
  const queue = queueOf(memory, call);
  const id = ticketIdOf(owner, group);
  const ownKey = QUEUE_KEYS + Number(keyCount);
  const ownArg = FIRST_ARG + Number(argCount);
  const decideOwn = () =>
    decideOne(memory, { keys: keys.slice(ownKey), args: args.slice(ownArg), clock: call.clock });
  const level = { key: keys[0] ?? '', limit: Number(limit), windowMs: Number(windowMs), clock };

  const waiting = queue.waiting.find((ticket) => ticket.id === id);
  const served = queue.served.get(id);
  const known =
    waiting ?? (served === undefined ? undefined : decodeTicketText(id, splitServed(served).text));
  if (known) {
    const own = known.request === request ? undefined : decideOwn();
    if (own && !own.isAdmitted) return ['decided', clock, own.reply, 1, 0];
    if (!waiting) return ['served', clock, id, served];
    return ['waiting', clock, ...describeWaiting(queue, loadQueuedLog(memory, level), waiting)];
  }

  const all = decideOne(memory, {
    ...{ keys: keys.slice(QUEUE_KEYS, ownKey), args: args.slice(FIRST_ARG, ownArg), clock: call.clock },
  });
  if (!all.isRefusedByQueue) return ['decided', clock, all.reply, 0, 0];
  const log = loadQueuedLog(memory, level);
  const bounds = { maxLength: Number(maxLength), maxWaitMs: Number(maxWaitMs), clock };
  const waitMs = roomInQueue(queue, log, bounds);
  if (waitMs > 0) return ['decided', clock, all.reply, 0, waitMs];
  const own = decideOwn();
  if (!own.isAdmitted) return ['decided', clock, own.reply, 1, 0];
  const promisedAt = log.turnAt(queue.waiting.length + 1);
  const lines = [clock, promisedAt, limit, windowMs, request, input, group, payload];
  const ticket = addTicket(queue, { id, lines, clock, node });
  return ['waiting', clock, ...describeWaiting(queue, log, ticket)];
}

/** Returns the time until a new ticket may be within the bounds of the queue; 0 if it is now. */
function roomInQueue(
  { waiting: { length }, isClosed }: MemoryQueue,
  log: QueuedLog,
  { maxLength, maxWaitMs, clock }: { maxLength: number; maxWaitMs: number; clock: number },
): number {
  const turnAt = log.turnAt(length + 1);
  if (isClosed) return turnAt - clock;
  const tooLong = length >= maxLength ? log.turnAt(length - maxLength + 1) - clock : 0;
  return Math.max(0, tooLong, turnAt - maxWaitMs - clock);
}

const MAX_VERSION = 2 ** 52;

/**
 * Adds a ticket at the end. The first sequence is later than that of any ticket that the store may have lost, and the version
 * lower.
 */
function addTicket(
  queue: MemoryQueue,
  { id, lines, clock, node }: { id: string; lines: readonly unknown[]; clock: number; node: string },
) {
  if (queue.sequence === 0) queue.version = MAX_VERSION - clock;
  queue.sequence = queue.sequence === 0 ? clock : queue.sequence + 1;
  const ticket = decodeTicketText(id, [queue.sequence, ...lines].join('\n'));
  if (queue.waiting.length === 0) queue.lease = { node, until: clock };
  queue.waiting.push(ticket);
  return ticket;
}
