import type { Memory } from '../memory';
import {
  clockOf,
  decodeTicketText,
  findEnded,
  type MemoryQueue,
  type QueueCall,
  queueOf,
  splitServed,
  type Ticket,
  ticketIdOf,
} from './memory-queue';
import { loadQueuedLog, type QueuedLog } from './queued-log';

/** Reads tickets of a caller, and the state of a queue. Replies like lua/limiter/queue-mine.lua. */
export function readMine(memory: Memory, call: QueueCall): unknown[] {
  const [, limit, windowMs, owner = '', groupCount, ...names] = call.args;
  const clock = clockOf(call);
  const queue = queueOf(memory, call);
  const numbers = { limit: Number(limit), windowMs: Number(windowMs) };
  const log = loadQueuedLog(memory, { key: call.keys[0] ?? '', clock, ...numbers });
  const { waiting, served, version, isClosed, total, late, lateMs } = queue;
  const isWaiting = waiting.length > 0;
  const find = (id: string) => findTicket(queue, { id, log, clock });

  const ofGroups = names.slice(0, Number(groupCount)).flatMap((group) => {
    const found = find(ticketIdOf(owner, group));
    return found ? [found.reply] : [];
  });
  const ofIds = names.slice(Number(groupCount)).map((name) => {
    const [, id = '', sequence] = /^(.+)\.(\d+)$/.exec(name) ?? [];
    const found = find(id);
    const ticket = found && decodeTicketText(id, found.text);
    const isOwn = ticket && `${ticket.sequence}` === sequence && ticketIdOf(owner, ticket.group) === id;
    return isOwn ? found.reply : ['lost', name];
  });
  const state = [
    clock,
    waiting.length,
    isWaiting ? log.turnAt(1) : 0,
    isWaiting ? log.turnAt(waiting.length) : 0,
  ];
  return [...state, ...[served.size, version, Number(isClosed), total, late, lateMs], ...ofGroups, ...ofIds];
}

/** Returns the fields of a waiting ticket: id, text, position, tickets ahead in its group, and the bound of its turn. */
export function describeWaiting({ waiting }: MemoryQueue, log: QueuedLog, ticket: Ticket): unknown[] {
  const position = waiting.indexOf(ticket) + 1;
  const ahead = waiting.slice(0, position - 1).filter(({ group }) => group === ticket.group).length;
  return [ticket.id, ticket.text, position, ahead, log.turnAt(position)];
}

/** Finds a ticket by its id. Returns its reply and its text. */
function findTicket(
  queue: MemoryQueue,
  { id, log, clock }: { id: string; log: QueuedLog; clock: number },
): { reply: unknown[]; text: string } | undefined {
  const waiting = queue.waiting.find((ticket) => ticket.id === id);
  if (waiting) return { reply: ['waiting', ...describeWaiting(queue, log, waiting)], text: waiting.text };
  const served = queue.served.get(id);
  if (served !== undefined) return { reply: ['served', id, served], text: splitServed(served).text };
  const ended = findEnded(queue, id, clock);
  if (ended === undefined) return undefined;
  return { reply: ['ended', id, ended], text: ended.split('\n').slice(4).join('\n') };
}
