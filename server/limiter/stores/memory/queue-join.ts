import type { DecideReply, JoinCommand, JoinReply, StoreCommand } from '../store';
import { decideCall } from './decide-call';
import type { Memory } from './memory';
import { callerOf, type MemoryQueue, type QueuedTicket, ticketIdOf, toTicket } from './queue-state';
import { describeWaiting, queueOf } from './queue-tickets';
import { loadQueuedLog, type QueuedLog } from './queued-log';

const MAX_VERSION = 2 ** 52;

/** Decides a call that may wait: it is admitted, refused, or gets a ticket. */
export function joinQueue(memory: Memory, command: JoinCommand, clock: number): JoinReply {
  const { owner, group, share, all, own } = command;
  const queue = queueOf(memory, command.queue);
  const numbers = command.queue;
  const request = command.request;
  const decide = (call: StoreCommand) => decideCall(memory, call, clock);
  const toDecided = (decision: DecideReply, isOwn: boolean, waitMs = 0): JoinReply => {
    return { kind: 'decided', now: clock, decision, isOwn, waitMs };
  };
  const toWaiting = (ticket: QueuedTicket, log: QueuedLog): JoinReply => {
    return { kind: 'ticket', now: clock, ticket: describeWaiting(queue, { ticket, log, numbers }) };
  };
  const id = ticketIdOf(owner, group);
  const caller = callerOf(owner);
  const ofCaller = queue.waiting.filter((ticket) => ticket.caller === caller);
  if (ofCaller.some((ticket) => ticket.id !== id && ticket.request === request))
    return { kind: 'conflict', now: clock, reason: 'request' };

  const waiting = queue.waiting.find((ticket) => ticket.id === id);
  const served = queue.served.get(id);
  const known = waiting ?? served?.ticket;
  if (known) {
    const decision = known.request === request ? undefined : decide(own);
    if (decision?.outcome === 'refused') return toDecided(decision, true);
    if (waiting) return toWaiting(waiting, loadQueuedLog(memory, numbers, clock));
    const { servedAt = clock } = served ?? {};
    return { kind: 'ticket', now: clock, ticket: { ...toTicket(known), state: 'served', servedAt } };
  }

  const onAll = decide(all);
  if (!isRefusedByQueue(all, onAll)) return toDecided(onAll, false);
  const log = loadQueuedLog(memory, numbers, clock);
  const ofShare = share === '' ? 0 : queue.waiting.filter((ticket) => ticket.share === share).length;
  const waitMs = roomInQueue(queue, log, { ...numbers, clock, ofShare });
  if (waitMs > 0) return toDecided(onAll, false, waitMs);
  const onOwn = decide(own);
  if (onOwn.outcome === 'refused') return toDecided(onOwn, true);
  if (numbers.maxOfCaller > 0 && ofCaller.length >= numbers.maxOfCaller)
    return { kind: 'conflict', now: clock, reason: 'tickets' };
  return toWaiting(addTicket(queue, command, { id, log, clock }), log);
}

/** Returns true if the level with the queue refused the call, and no other. */
function isRefusedByQueue({ policyArgs: { levels: called } }: StoreCommand, { levels }: DecideReply) {
  const refusing = called.filter(({ mode }, position) => mode === 'enforce' && levels[position]?.refuses);
  return refusing.length > 0 && refusing.every(({ queue }) => queue !== undefined);
}

/** Returns the time until a new ticket may be within the bounds of the queue; 0 if it is now. */
function roomInQueue(
  { waiting: { length }, isClosed }: MemoryQueue,
  log: QueuedLog,
  bounds: JoinCommand['queue'] & { clock: number; ofShare: number },
): number {
  const { maxLength, maxWaitMs, maxOfShare, clock, ofShare } = bounds;
  const turnAt = log.turnAt(length + 1);
  if (isClosed) return turnAt - clock;
  const tooLong = length >= maxLength ? log.turnAt(length - maxLength + 1) - clock : 0;
  const crowding = length - Math.floor(maxLength / 2);
  const isCrowded = crowding > 0 && maxOfShare > 0 && ofShare >= maxOfShare;
  const tooCrowded = isCrowded ? log.turnAt(crowding) - clock : 0;
  return Math.max(0, tooLong, tooCrowded, turnAt - maxWaitMs - clock);
}

/**
 * Adds a ticket at the end. The first sequence is later than that of any ticket that the store may have lost, and the version
 * lower.
 */
function addTicket(
  queue: MemoryQueue,
  { queue: { limit, windowMs, node }, owner, group, share, request, payload, all }: JoinCommand,
  { id, log, clock }: { id: string; log: QueuedLog; clock: number },
): QueuedTicket {
  if (queue.sequence === 0) queue.version = MAX_VERSION - clock;
  queue.sequence = queue.sequence === 0 ? clock : queue.sequence + 1;
  const ticket: QueuedTicket = {
    id,
    sequence: queue.sequence,
    caller: callerOf(owner),
    group,
    share,
    request,
    payload,
    input: all.request?.input ?? 1,
    joinedAt: clock,
    promisedAt: log.turnAt(queue.waiting.length + 1),
    limit,
    windowMs,
  };
  if (queue.waiting.length === 0) {
    queue.lease = { node, until: clock };
    queue.numbers = { limit, windowMs };
  }
  queue.waiting.push(ticket);
  return ticket;
}
