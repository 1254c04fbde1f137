import { useTranslations } from 'next-intl';
import { ProblemNote } from '../_components/problem-note';
import { Notice } from '../_components/ui/notice';
import type { Problem } from '../_trpc/problem';
import type { Order } from '../_trpc/types';

interface Props {
  order: Order;
  isOver: boolean;
  /** The last call succeeded. */
  isDone: boolean;
  problem: Problem | undefined;
}

/** Shows the state of an order's payment. */
export function HoldNote({ order: { status, payment }, isOver, isDone, problem }: Props) {
  const t = useTranslations('payment');
  if (payment === 'refund-due') return <Notice tone="warning">{t('refundDue')}</Notice>;
  if (payment === 'refunded') return <Notice tone="good">{t('refunded')}</Notice>;
  if (problem?.kind === 'rejected')
    return <Notice tone="over">{t(status === 'expired' ? 'tooLate' : 'changed')}</Notice>;
  if (status === 'paid') return isDone && <Notice tone="good">{t('approved')}</Notice>;
  if (status !== 'confirmed') return null;
  if (problem?.kind === 'unavailable') return <Notice tone="cut">{t('unavailable')}</Notice>;
  if (problem) return <ProblemNote problem={problem} here="/wallet" />;
  if (isOver) return <Notice tone="over">{t('over')}</Notice>;
  if (payment === 'pending') return <Notice tone="waiting">{t('pending')}</Notice>;
  return payment === 'declined' && <Notice tone="refused">{t('declined')}</Notice>;
}
