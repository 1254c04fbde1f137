import type { Memory } from '../memory';
import {
  clockOf,
  endTicket,
  type QueueCall,
  queueOf,
  removeWaiting,
  type Ticket,
  ticketIdOf,
} from './memory-queue';

/**
 * Ends waiting tickets before their turn, or closes or opens the queue. Replies like lua/limiter/queue-void.lua, but one call
 * ends all tickets of a group.
 */
export function voidTickets(memory: Memory, call: QueueCall): unknown[] {
  const [, kind, subject = '', named, reason = ''] = call.args;
  const clock = clockOf(call);
  const queue = queueOf(memory, call);
  const isClosing = kind === 'close' || kind === 'open';
  if (isClosing) queue.isClosed = kind === 'close';

  function isMeant({ id, sequence, group }: Ticket): boolean {
    if (kind === 'group') return group === subject;
    const isOwn = !isClosing && ticketIdOf(subject, group) === id;
    return isOwn && (kind === 'owner' || named === `${id}.${sequence}`);
  }

  const meant = queue.waiting.filter(isMeant);
  for (const { id, text } of meant) {
    removeWaiting(queue, id);
    endTicket(queue, { id, text, state: 'void', detail: reason, servedAt: '', clock });
  }
  if (meant.length > 0 || isClosing) queue.version += 1;
  return [meant.length, ''];
}
