import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { problemOf } from '../_trpc/problem';
import type { Ticket } from '../_trpc/types';

/** Returns a function that ends a ticket of the viewer. A ticket that is no longer waiting is read again. */
export function useLeave(ticket: Pick<Ticket, 'ticketId'> | undefined): {
  leave(): Promise<void>;
  isLeaving: boolean;
} {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [isLeaving, setLeaving] = useState(false);

  async function leave(): Promise<void> {
    if (!ticket) return;
    setLeaving(true);
    try {
      await client.queue.leave.mutate({ ticketId: ticket.ticketId });
    } catch (error) {
      // The ticket was served or ended meanwhile, or the call was lost: the next read shows which.
      if (problemOf(error).kind === 'broken') throw error;
    } finally {
      await queryClient.invalidateQueries(trpc.queue.mine.queryFilter());
      setLeaving(false);
    }
  }

  return { leave, isLeaving };
}
