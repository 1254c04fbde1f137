import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { lazy, Suspense, useState } from 'react';
import { OrderCode } from '../_components/order-code';
import { ProblemNote } from '../_components/problem-note';
import { RefusalNote } from '../_components/refusal-note';
import { Notice } from '../_components/ui/notice';
import { useTRPC } from '../_trpc/client';
import type { Order, PurchaseReply, RefusalData } from '../_trpc/types';
import type { PolicyRefusal } from '../_window/refusals';
import styles from './result-note.module.css';
import type { PurchaseResult } from './use-purchase';

/** Loaded when opened. */
const RefusalDrawing = lazy(() => import('./refusal-drawing'));

interface Props {
  result: Exclude<PurchaseResult, { kind: 'none' }>;
  /** The last refusal by a limit of the policy. */
  refusal: PolicyRefusal | undefined;
  /** That refusal has not ended. */
  isWaiting: boolean;
}

/** Shows the result of the last click. */
export default function ResultNote({ result, refusal, isWaiting }: Props) {
  const t = useTranslations('outcome');
  switch (result.kind) {
    case 'reply':
      return <ReplyNote reply={result.reply} />;
    case 'problem':
      if (result.problem.kind !== 'refused') return <ProblemNote problem={result.problem} here="/" />;
      if (!isWaiting) return <Notice>{t('again')}</Notice>;
      return <RefusedNote {...result.problem} policyRefusal={refusal} />;
  }
}

/** Shows the outcome of an admitted purchase, and updates a reserved order once it is confirmed. */
function ReplyNote({ reply: received }: { reply: PurchaseReply }) {
  const t = useTranslations('outcome');
  const reply = useConfirmedReply(received);
  switch (reply.outcome) {
    case 'accepted':
      return (
        <OrderNote order={reply.order} words={reply.order.status === 'reserved' ? 'reserved' : 'confirmed'} />
      );
    case 'already-bought':
      return <OrderNote order={reply.order} words="alreadyBought" />;
    case 'sold-out':
      return <Notice tone="over">{t('soldOut')}</Notice>;
    case 'not-started':
      return <Notice tone="waiting">{t('notStarted')}</Notice>;
    case 'ended':
      return <Notice tone="over">{t('ended')}</Notice>;
    case 'paused':
      return <Notice tone="paused">{t('paused')}</Notice>;
  }
}

/** Polls an accepted order that is still reserved until the ledger has it. */
function useConfirmedReply(reply: PurchaseReply): PurchaseReply {
  const trpc = useTRPC();
  const order = 'order' in reply ? reply.order : undefined;
  const { data } = useQuery(
    trpc.order.byId.queryOptions(
      { id: order?.id ?? '' },
      {
        enabled: order?.status === 'reserved',
        refetchInterval: ({ state }) =>
          state.data === undefined || state.data.order.status === 'reserved' ? 1_000 : false,
      },
    ),
  );
  if (!('order' in reply) || data?.order.id !== order?.id) return reply;
  return { ...reply, order: data?.order ?? reply.order };
}

function OrderNote({ order, words }: { order: Order; words: 'reserved' | 'confirmed' | 'alreadyBought' }) {
  const t = useTranslations('outcome');
  return (
    <Notice tone="good">
      {t.rich(words, {
        wallet: (text) => (
          <Link prefetch={false} href="/wallet">
            {text}
          </Link>
        ),
      })}
      {order.code && <OrderCode label={t('code')} code={order.code} />}
    </Notice>
  );
}

interface RefusedProps {
  refusal: RefusalData;
  message: string;
  /** The same refusal with its times and hits. */
  policyRefusal: PolicyRefusal | undefined;
}

/** States the limit that refused a click, with an expandable explanation. */
function RefusedNote({ refusal, message, policyRefusal }: RefusedProps) {
  return (
    <Notice tone="refused">
      <RefusalNote refusal={refusal} message={message} />
      {refusal.reason === 'limited' && policyRefusal && <Why refusal={policyRefusal} />}
    </Notice>
  );
}

/**
 * An expandable drawing of the hits that filled the window. It loads when opened. Only a sliding log stores its hits,
 * so other algorithms show nothing.
 */
function Why({ refusal }: { refusal: PolicyRefusal }) {
  const t = useTranslations('refusal');
  const [wasOpened, setWasOpened] = useState(false);
  if (refusal.algorithm !== 'sliding-log') return null;
  return (
    <details className={styles.why} onToggle={() => setWasOpened(true)}>
      <summary>{t('why')}</summary>
      {wasOpened && (
        <Suspense fallback={<div className={styles.reserved} />}>
          <RefusalDrawing refusal={refusal} />
        </Suspense>
      )}
    </details>
  );
}
