import type { Memory } from '../memory';
import {
  clockOf,
  decodeTicketText,
  endTicket,
  type MemoryQueue,
  type QueueCall,
  queueOf,
  removeWaiting,
  splitServed,
  type Ticket,
} from './memory-queue';
import { chargeQueuedLog, loadQueuedLog } from './queued-log';

const FIRST_GROUP = 10;
/** The index of the start of the keys of request ids. */
const REQUEST_START = 9;

/** A serving node. */
interface Server {
  node: string;
  clock: number;
  leaseMs: number;
}

/** Ends turns, and serves the tickets for which units are free. Replies like lua/limiter/queue-serve.lua. */
export function serveQueue(memory: Memory, call: QueueCall): unknown[] {
  const { keys, args } = call;
  const [, limit, windowMs, enforced, node = '', leaseMs, max, requestTtlMs, recovers, pausedCount] = args;
  const clock = clockOf(call);
  const queue = queueOf(memory, call);
  const firstTurn = FIRST_GROUP + Number(pausedCount);
  const paused = new Set(args.slice(FIRST_GROUP, firstTurn));
  const server = { node, clock, leaseMs: Number(leaseMs) };
  finishTurns(queue, args.slice(firstTurn), clock);

  const given = { limit: Number(limit), windowMs: Number(windowMs) };
  const isEnforced = enforced === '1';
  const numbers = isEnforced ? given : (queue.numbers ?? given);
  const unfinished: unknown[] = [];
  if (queue.served.size > 0) {
    queue.seen.set(node, clock);
    if (recovers === '1') unfinished.push(...recoverTurns(queue, server));
  }
  const waitingBefore = queue.waiting.length;
  if (waitingBefore === 0) return [clock, 0, 0, 0, numbers.limit, numbers.windowMs, ...unfinished];
  const { lease } = queue;
  if (lease && lease.node !== node && lease.until > clock)
    return [clock, lease.until, 0, waitingBefore, numbers.limit, numbers.windowMs, ...unfinished];
  queue.lease = { node, until: clock + server.leaseMs };
  queue.seen.set(node, clock);
  if (isEnforced) queue.numbers = given;

  const level = { key: keys[0] ?? '', ...numbers, clock };
  const room = Math.min(loadQueuedLog(memory, level).room, Number(max));
  const ready = queue.waiting.filter(({ group }) => !paused.has(group));
  const tickets = ready.slice(0, Math.max(room, 0));
  const turns: unknown[] = [];
  if (tickets.length > 0) {
    const servedAt = chargeQueuedLog(memory, level, tickets.length);
    for (const { request, input } of tickets) {
      memory.requestIds.set(
        `${keys[REQUEST_START]}${request}`,
        { input, startsAt: undefined },
        Number(requestTtlMs),
      );
    }
    turns.push(...moveToServed(queue, { tickets, servedAt, node }));
  }
  const waiting = queue.waiting.length;
  const serveAt = ready.length > room ? loadQueuedLog(memory, level).serveAt(waiting) : 0;
  return [clock, 0, serveAt, waiting, numbers.limit, numbers.windowMs, ...unfinished, ...turns];
}

/** Ends turns, each of four arguments: id, sequence, `served` or `void`, and the outcome or reason. */
function finishTurns(queue: MemoryQueue, args: readonly string[], clock: number): void {
  for (let at = 0; at < args.length; at += 4) {
    const [id = '', sequence, state = '', detail = ''] = args.slice(at, at + 4);
    const { servedAt, text } = splitServed(queue.served.get(id) ?? '');
    if (text === '' || `${decodeTicketText(id, text).sequence}` !== sequence) continue;
    queue.served.delete(id);
    endTicket(queue, { id, text, state, detail, servedAt, clock });
  }
}

/** Takes the unfinished turns of this node, and those of nodes that have not called for a lease. Returns their replies. */
function recoverTurns({ served, seen }: MemoryQueue, { node, clock, leaseMs }: Server): unknown[] {
  const reply: unknown[] = [];
  for (const [id, stored] of served) {
    const { servedAt, node: owner, text } = splitServed(stored);
    const isSilent = (seen.get(owner) ?? 0) <= clock - leaseMs;
    if (owner !== node && !isSilent) continue;
    reply.push(id, 1, stored);
    served.set(id, [servedAt, node, text].join('\n'));
    if (owner !== node) seen.delete(owner);
  }
  return reply;
}

/** Moves tickets from the waiting to the served ones. Returns their replies. */
function moveToServed(
  queue: MemoryQueue,
  { tickets, servedAt, node }: { tickets: readonly Ticket[]; servedAt: number; node: string },
): unknown[] {
  queue.version += 1;
  queue.total += tickets.length;
  return tickets.flatMap(({ id, text, promisedAt }) => {
    removeWaiting(queue, id);
    const stored = [servedAt, node, text].join('\n');
    queue.served.set(id, stored);
    if (servedAt > promisedAt) {
      queue.late += 1;
      queue.lateMs = Math.max(queue.lateMs, servedAt - promisedAt);
    }
    return [id, 0, stored];
  });
}
