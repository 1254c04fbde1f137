import type { EndedTurn, ServeCommand, ServeReply } from '../store';
import type { ServedTurn } from '../ticket';
import type { Memory } from './memory';
import {
  endTicket,
  type MemoryQueue,
  type QueuedTicket,
  removeWaiting,
  type ServedEntry,
  toTicket,
} from './queue-state';
import { queueOf } from './queue-tickets';
import { chargeQueuedLog, loadQueuedLog } from './queued-log';

/** Ends turns, and serves the tickets for which units are free, if no other node holds the lease of the queue. */
export function serveQueue(memory: Memory, command: ServeCommand, clock: number): ServeReply {
  const { node, leaseMs, isEnforced, maxServed, pausedGroups, recovers } = command;
  const queue = queueOf(memory, command);
  finishTurns(queue, command.ended, clock);

  const given = { limit: command.limit, windowMs: command.windowMs };
  const numbers = isEnforced ? given : (queue.numbers ?? given);
  const turns: ServedTurn[] = [];
  const reply = { now: clock, heldUntil: 0, serveAt: 0, numbers, turns };
  if (queue.served.size > 0) {
    queue.seen.set(node, clock);
    if (recovers) turns.push(...recoverTurns(queue, { node, leaseMs, clock }));
  }
  const waitingBefore = queue.waiting.length;
  if (waitingBefore === 0) return { ...reply, waiting: 0 };
  const { lease } = queue;
  if (lease && lease.node !== node && lease.until > clock)
    return { ...reply, heldUntil: lease.until, waiting: waitingBefore };
  queue.lease = { node, until: clock + leaseMs };
  queue.seen.set(node, clock);
  if (isEnforced) queue.numbers = given;

  const level = { ...command, ...numbers };
  const room = Math.min(loadQueuedLog(memory, level, clock).room, maxServed);
  const ready = queue.waiting.filter(({ group }) => !pausedGroups.includes(group));
  const tickets = ready.slice(0, Math.max(room, 0));
  if (tickets.length > 0) {
    const servedAt = chargeQueuedLog(memory, level, { clock, cost: tickets.length });
    for (const { request, input } of tickets) {
      const charged = { input, startsAt: undefined };
      memory.requestIds.set(command.requestStart + request, charged, command.requestTtlMs);
    }
    turns.push(...moveToServed(queue, { tickets, servedAt, node }));
  }
  const waiting = queue.waiting.length;
  const serveAt = ready.length > room ? loadQueuedLog(memory, level, clock).serveAt(waiting) : 0;
  return { ...reply, serveAt, waiting };
}

function finishTurns(queue: MemoryQueue, ended: readonly EndedTurn[], clock: number): void {
  for (const { id, sequence, state, detail } of ended) {
    const served = queue.served.get(id);
    if (!served || `${served.ticket.sequence}` !== sequence) continue;
    queue.served.delete(id);
    const { ticket, servedAt } = served;
    endTicket(queue, { ticket, state, detail, servedAt, endedAt: clock });
  }
}

/** Takes the unfinished turns of this node, and those of nodes that have not called for a lease. */
function recoverTurns(
  { served, seen }: MemoryQueue,
  { node, clock, leaseMs }: { node: string; clock: number; leaseMs: number },
): ServedTurn[] {
  const turns: ServedTurn[] = [];
  for (const entry of served.values()) {
    const { node: owner } = entry;
    const isSilent = (seen.get(owner) ?? 0) <= clock - leaseMs;
    if (owner !== node && !isSilent) continue;
    entry.node = node;
    turns.push(toTurn(entry, true));
    if (owner !== node) seen.delete(owner);
  }
  return turns;
}

/** Moves tickets from the waiting to the served ones. Returns their turns. */
function moveToServed(
  queue: MemoryQueue,
  { tickets, servedAt, node }: { tickets: readonly QueuedTicket[]; servedAt: number; node: string },
): ServedTurn[] {
  queue.version += 1;
  queue.total += tickets.length;
  return tickets.map((ticket) => {
    removeWaiting(queue, ticket);
    const entry = { ticket, servedAt, node };
    queue.served.set(ticket.id, entry);
    if (servedAt > ticket.promisedAt) {
      queue.late += 1;
      queue.lateMs = Math.max(queue.lateMs, servedAt - ticket.promisedAt);
    }
    return toTurn(entry, false);
  });
}

function toTurn({ ticket, servedAt }: ServedEntry, again: boolean): ServedTurn {
  const { id, sequence, promisedAt } = ticket;
  return { ...toTicket(ticket), id, sequence: `${sequence}`, servedAt, promisedAt, again };
}
