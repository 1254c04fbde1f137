import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { useTRPC } from '../../_trpc/client';
import type { Refund } from '../types';
import styles from './mark-refund-sent.module.css';

/** Marks a refund as sent, which ends it and notifies the shopper. */
export function MarkRefundSent({ refund: { paymentId } }: { refund: Refund }) {
  const t = useTranslations('opsSales.refunds');
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation(
    trpc.ops.markRefundSent.mutationOptions({
      // Awaited, because a click before the row disappears would have no effect.
      onSuccess: () => queryClient.invalidateQueries(trpc.ops.refunds.queryFilter()),
    }),
  );
  return (
    <>
      <Button
        aria-label={t('markSentLabel', { payment: paymentId })}
        busy={isPending}
        onClick={() => mutate({ paymentId })}
      >
        {t('markSent')}
      </Button>
      <span role="status" className={styles.outcome}>
        {error && t('notMarked')}
      </span>
    </>
  );
}
