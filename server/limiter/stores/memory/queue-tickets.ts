import type { MineCommand, VoidCommand } from '../store';
import { delayOf, type QueueState, type Ticket, type WaitingTicket } from '../ticket';
import type { Memory } from './memory';
import {
  callerOf,
  createQueueState,
  endTicket,
  findEnded,
  type MemoryQueue,
  type QueuedTicket,
  removeWaiting,
  ticketIdOf,
  toEnded,
  toTicket,
} from './queue-state';
import { loadQueuedLog, type QueuedLog } from './queued-log';

/** Longer than the longest wait. The queue of a policy without calls ends then. */
const QUEUE_TTL_MS = 48 * 3_600_000;

/** Returns the queue of a command, and keeps it for two days. */
export function queueOf({ queues }: Memory, { keys }: Pick<MineCommand, 'keys'>): MemoryQueue {
  const key = keys.queue('queue');
  const queue = queues.get(key) ?? createQueueState();
  queues.set(key, queue, QUEUE_TTL_MS);
  return queue;
}

/** Reads tickets of a caller, and the state of a queue. */
export function readMine(
  memory: Memory,
  command: MineCommand,
  clock: number,
): { state: QueueState; tickets: Ticket[] } {
  const { owner, groups, ticketIds } = command;
  const queue = queueOf(memory, command);
  const log = loadQueuedLog(memory, command, clock);
  const find = (id: string) => findTicket(queue, { id, log, numbers: command, clock });
  const ids = groups === 'all' ? listOwnIds(queue, owner) : groups.map((group) => ticketIdOf(owner, group));
  const ofGroups = ids.flatMap((id) => find(id) ?? []);
  const ofIds = ticketIds.map((ticketId): Ticket => {
    const [, id = ''] = /^(.+)\.\d+$/.exec(ticketId) ?? [];
    const ticket = find(id);
    const isOwn = ticket?.ticketId === ticketId && ticketIdOf(owner, ticket.group) === id;
    return isOwn ? ticket : { ticketId, group: '', payload: '', joinedAt: 0, state: 'void', reason: 'lost' };
  });
  return { state: stateOf(queue, log, clock), tickets: [...ofGroups, ...ofIds] };
}

/** Returns the ids of the latest tickets of a caller in all groups, in the order of joining. */
function listOwnIds({ waiting, served, ended }: MemoryQueue, owner: string): string[] {
  const tickets = [...waiting, ...[...served.values(), ...ended.values()].map(({ ticket }) => ticket)];
  const own = tickets.filter(({ caller }) => caller === callerOf(owner));
  const latest = new Map<string, number>();
  for (const { id, sequence } of own) latest.set(id, Math.max(sequence, latest.get(id) ?? 0));
  return [...latest].sort(([, one], [, other]) => one - other).map(([id]) => id);
}

function stateOf(queue: MemoryQueue, log: QueuedLog, now: number): QueueState {
  const { waiting, served, version, isClosed, total, late, lateMs } = queue;
  const isWaiting = waiting.length > 0;
  return {
    now,
    waiting: waiting.length,
    nextTurnAt: isWaiting ? log.turnAt(1) : null,
    lastTurnAt: isWaiting ? log.turnAt(waiting.length) : null,
    unfinished: served.size,
    version,
    isClosed,
    served: total,
    late,
    longestLateMs: lateMs,
  };
}

/** Returns a waiting ticket as its caller sees it. */
export function describeWaiting(
  { waiting }: MemoryQueue,
  shown: { ticket: QueuedTicket; log: QueuedLog; numbers: { limit: number; windowMs: number } },
): WaitingTicket {
  const { ticket, log, numbers } = shown;
  const position = waiting.indexOf(ticket) + 1;
  const ahead = waiting.slice(0, position - 1).filter(({ group }) => group === ticket.group).length;
  const turnAt = log.turnAt(position);
  return {
    ...toTicket(ticket),
    state: 'waiting',
    position,
    ahead,
    turnAt,
    ...delayOf({ turnAt, promise: ticket, numbers }),
  };
}

function findTicket(
  queue: MemoryQueue,
  sought: { id: string; log: QueuedLog; numbers: { limit: number; windowMs: number }; clock: number },
): Ticket | undefined {
  const { id, log, numbers, clock } = sought;
  const ticket = queue.waiting.find((one) => one.id === id);
  if (ticket) return describeWaiting(queue, { ticket, log, numbers });
  const served = queue.served.get(id);
  if (served) return { ...toTicket(served.ticket), state: 'served', servedAt: served.servedAt };
  const ended = findEnded(queue, id, clock);
  return ended && toEnded(ended);
}

/** Ends waiting tickets before their turn, or closes or opens the queue. Returns the number of ended tickets. */
export function voidTickets(memory: Memory, command: VoidCommand, clock: number): number {
  const { kind, target, ticketId, reason } = command;
  const queue = queueOf(memory, command);
  const isClosing = kind === 'close' || kind === 'open';
  if (isClosing) queue.isClosed = kind === 'close';

  function isMeant({ id, sequence, group }: QueuedTicket): boolean {
    if (kind === 'group') return group === target;
    const isOwn = !isClosing && ticketIdOf(target, group) === id;
    return isOwn && (kind === 'owner' || ticketId === `${id}.${sequence}`);
  }

  const meant = queue.waiting.filter(isMeant);
  for (const ticket of meant) {
    removeWaiting(queue, ticket);
    endTicket(queue, { ticket, state: 'void', detail: reason, servedAt: undefined, endedAt: clock });
  }
  if (meant.length > 0 || isClosing) queue.version += 1;
  return meant.length;
}
