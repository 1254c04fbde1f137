import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ComponentProps, useState } from 'react';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { problemOf } from '../_trpc/problem';
import type { Ticket } from '../_trpc/types';
import styles from './queue.module.css';
import { Turn } from './ticket-note';

interface Props {
  /** A ticket that waits. */
  ticket: Ticket;
  /** The name, the size and the ref of the button. */
  button: ComponentProps<typeof Button>;
}

/** The action of a coupon that the viewer waits for: the countdown to the turn, and leaving the queue. */
export function WaitingAction({ ticket, button }: Props) {
  const t = useTranslations('queue');
  const { leave, isLeaving } = useLeave(ticket);
  return (
    <div className={classNames(layout.stack2, styles.waiting)}>
      <Turn ticket={ticket} />
      <Button {...button} wide busy={isLeaving} closed={ticket.state !== 'waiting'} onClick={leave}>
        {t('leave')}
      </Button>
    </div>
  );
}

/** Returns a function that ends a ticket of the viewer. A ticket that is no longer waiting is read again. */
export function useLeave(ticket: Pick<Ticket, 'ticketId'>): {
  leave(): Promise<void>;
  isLeaving: boolean;
} {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [isLeaving, setLeaving] = useState(false);

  async function leave(): Promise<void> {
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
