import { decideOne, sizeOfOne } from '../batch';
import type { Memory } from '../memory';
import {
  callerOf,
  decodeTicketText,
  type MemoryQueue,
  type QueueCall,
  queueOf,
  splitServed,
  ticketIdOf,
} from './memory-queue';
import { describeWaiting } from './queue-mine';
import { loadQueuedLog, type QueuedLog, type QueueLevel } from './queued-log';

const QUEUE_KEYS = 9;
const CALL_ARGS = 6;

/** A call, with the queue and its numbers. */
interface Joining {
  queue: MemoryQueue;
  level: QueueLevel;
  head: Bounds & { node: string };
  call: { args: readonly string[]; all: DecideCall; own: DecideCall };
}

interface Bounds {
  maxLength: number;
  maxWaitMs: number;
  /** The most tickets of a caller and of a share; 0 without a maximum. */
  maxOfCaller: number;
  maxOfShare: number;
}

/** The keys and arguments of a batch of one call of decide.lua. */
interface DecideCall {
  keys: readonly string[];
  args: readonly string[];
}

/** Decides a batch of calls that may wait. Replies like lua/limiter/queue-join.lua. */
export function joinQueue(memory: Memory, { keys: allKeys, args: allArgs, clock: storeClock }: QueueCall) {
  const [key = ''] = allKeys;
  const queue = queueOf(memory, { keys: allKeys });
  const replies: unknown[][] = [];
  let rest: DecideCall = { keys: allKeys.slice(QUEUE_KEYS), args: allArgs };
  while (rest.args.length > 0) {
    const [numbers = '', calls = '', ...args] = rest.args;
    const [limit = '', windowMs = '', maxLength, maxWaitMs, ...others] = numbers.split(' ');
    const [maxOfCaller, maxOfShare, node = ''] = others;
    const [count, clock = storeClock] = calls.split(' ').map(Number);
    const level = { key, limit: Number(limit), windowMs: Number(windowMs), clock };
    const head = {
      ...{ maxLength: Number(maxLength), maxWaitMs: Number(maxWaitMs), node },
      ...{ maxOfCaller: Number(maxOfCaller), maxOfShare: Number(maxOfShare) },
    };
    rest = { keys: rest.keys, args };
    for (let index = 0; index < Number(count); index += 1) {
      const [all, afterAll] = splitCall({ keys: rest.keys, args: rest.args.slice(CALL_ARGS) });
      const [own, afterOwn] = splitCall(afterAll);
      replies.push(joinOne(memory, { queue, level, head, call: { args: rest.args, all, own } }));
      rest = afterOwn;
    }
  }
  return replies;
}

/** Splits the first call of decide.lua from those after it. */
function splitCall({ keys, args }: DecideCall): [first: DecideCall, rest: DecideCall] {
  const { keyCount, argCount } = sizeOfOne(args[0] ?? '');
  return [
    { keys: keys.slice(0, keyCount), args: args.slice(0, argCount) },
    { keys: keys.slice(keyCount), args: args.slice(argCount) },
  ];
}

function joinOne(memory: Memory, { queue, level, head, call }: Joining): unknown[] {
  const [owner = '', group = '', share = '', request = '', input = '', payload = ''] = call.args;
  const { clock } = level;
  const decide = (one: DecideCall) => decideOne(memory, { ...one, clock });
  const id = ticketIdOf(owner, group);
  const caller = callerOf(owner);
  const ofCaller = queue.waiting.filter((ticket) => ticket.caller === caller);
  if (ofCaller.some((ticket) => ticket.id !== id && ticket.request === request))
    return ['conflict', clock, 'request'];

  const waiting = queue.waiting.find((ticket) => ticket.id === id);
  const served = queue.served.get(id);
  const known =
    waiting ?? (served === undefined ? undefined : decodeTicketText(id, splitServed(served).text));
  if (known) {
    const own = known.request === request ? undefined : decide(call.own);
    if (own && !own.isAdmitted) return ['decided', clock, own.reply, 1, 0];
    if (!waiting) return ['served', clock, id, served];
    return ['waiting', clock, ...describeWaiting(queue, loadQueuedLog(memory, level), waiting)];
  }

  const all = decide(call.all);
  if (!all.isRefusedByQueue) return ['decided', clock, all.reply, 0, 0];
  const log = loadQueuedLog(memory, level);
  const ofShare = share === '' ? 0 : queue.waiting.filter((ticket) => ticket.share === share).length;
  const waitMs = roomInQueue(queue, log, { ...head, clock, ofShare });
  if (waitMs > 0) return ['decided', clock, all.reply, 0, waitMs];
  const own = decide(call.own);
  if (!own.isAdmitted) return ['decided', clock, own.reply, 1, 0];
  if (head.maxOfCaller > 0 && ofCaller.length >= head.maxOfCaller) return ['conflict', clock, 'tickets'];
  const promisedAt = log.turnAt(queue.waiting.length + 1);
  const promise = [clock, promisedAt, level.limit, level.windowMs];
  const lines = [...promise, request, input, share, group, payload];
  const ticket = addTicket(queue, { id, lines, level, node: head.node });
  return ['waiting', clock, ...describeWaiting(queue, log, ticket)];
}

/** Returns the time until a new ticket may be within the bounds of the queue; 0 if it is now. */
function roomInQueue(
  { waiting: { length }, isClosed }: MemoryQueue,
  log: QueuedLog,
  { maxLength, maxWaitMs, maxOfShare, clock, ofShare }: Bounds & { clock: number; ofShare: number },
): number {
  const turnAt = log.turnAt(length + 1);
  if (isClosed) return turnAt - clock;
  const tooLong = length >= maxLength ? log.turnAt(length - maxLength + 1) - clock : 0;
  const crowding = length - Math.floor(maxLength / 2);
  const isCrowded = crowding > 0 && maxOfShare > 0 && ofShare >= maxOfShare;
  const tooCrowded = isCrowded ? log.turnAt(crowding) - clock : 0;
  return Math.max(0, tooLong, tooCrowded, turnAt - maxWaitMs - clock);
}

const MAX_VERSION = 2 ** 52;

/**
 * Adds a ticket at the end. The first sequence is later than that of any ticket that the store may have lost, and the version
 * lower.
 */
function addTicket(
  queue: MemoryQueue,
  { id, lines, level, node }: { id: string; lines: readonly unknown[]; level: QueueLevel; node: string },
) {
  const { clock, limit, windowMs } = level;
  if (queue.sequence === 0) queue.version = MAX_VERSION - clock;
  queue.sequence = queue.sequence === 0 ? clock : queue.sequence + 1;
  const ticket = decodeTicketText(id, [queue.sequence, ...lines].join('\n'));
  if (queue.waiting.length === 0) {
    queue.lease = { node, until: clock };
    queue.numbers = { limit, windowMs };
  }
  queue.waiting.push(ticket);
  return ticket;
}
