import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useFormatter, useTranslations } from 'next-intl';
import { lazy, Suspense, useState } from 'react';
import { OrderCode } from '../_components/order-code';
import { ProblemNote } from '../_components/problem-note';
import { RefusalNote } from '../_components/refusal-note';
import { Notice } from '../_components/ui/notice';
import { useDurations } from '../_i18n/use-durations';
import { useTRPC } from '../_trpc/client';
import type { Order, PurchaseReply, RefusalData } from '../_trpc/types';
import type { PolicyRefusal } from '../_window/refusals';
import styles from './result-note.module.css';
import type { PurchaseResult, TapTally } from './use-purchase';

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
  switch (result.kind) {
    case 'reply':
      return <ReplyNote reply={result.reply} />;
    case 'taps':
      return <TapsNote tally={result.tally} refusal={refusal} isWaiting={isWaiting} />;
    case 'problem':
      if (result.problem.kind !== 'refused') return <ProblemNote problem={result.problem} here="/" />;
      return <RefusedNote {...result.problem} policyRefusal={refusal} isWaiting={isWaiting} />;
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
  isWaiting: boolean;
}

/**
 * States the limit that refused a click, with an expandable explanation. An open explanation stays open when the wait
 * ends, because the shopper may be reading it.
 */
function RefusedNote({ refusal, message, policyRefusal, isWaiting }: RefusedProps) {
  const t = useTranslations('outcome');
  const [isOpen, setIsOpen] = useState(false);
  if (!isWaiting && !isOpen) return <Notice>{t('again')}</Notice>;
  return (
    <Notice tone="refused">
      <RefusalNote
        refusal={refusal}
        message={isWaiting ? message : <InPlaceOf text={message}>{t('again')}</InPlaceOf>}
      />
      {refusal.reason === 'limited' && policyRefusal && (
        <Why refusal={policyRefusal} isOver={!isWaiting} onToggle={(open) => isWaiting && setIsOpen(open)} />
      )}
    </Notice>
  );
}

/** Shows a text in the space of another one, so that nothing moves. */
function InPlaceOf({ text, children }: { text: string; children: string }) {
  return (
    <span className={styles.inPlace}>
      <span>{children}</span>
      <span aria-hidden="true">{text}</span>
    </span>
  );
}

interface WhyProps {
  refusal: PolicyRefusal;
  /** The refusal has ended. */
  isOver: boolean;
  onToggle(isOpen: boolean): void;
}

/**
 * An expandable drawing of the hits that filled the window. It loads when opened. Only a sliding log stores its hits,
 * so other algorithms show nothing.
 */
function Why({ refusal, isOver, onToggle }: WhyProps) {
  const t = useTranslations('refusal');
  const [wasOpened, setWasOpened] = useState(false);
  if (refusal.algorithm !== 'sliding-log') return null;
  return (
    <details
      className={styles.why}
      onToggle={({ currentTarget }) => {
        setWasOpened(true);
        onToggle(currentTarget.open);
      }}
    >
      <summary>{t('why')}</summary>
      {wasOpened && (
        <Suspense fallback={<div className={styles.reserved} />}>
          <div className={isOver ? styles.over : undefined}>
            <RefusalDrawing refusal={refusal} />
          </div>
        </Suspense>
      )}
    </details>
  );
}

/** Summarises a burst of clicks in one sentence. */
function TapsNote({ tally, refusal, isWaiting }: Omit<Props, 'result'> & { tally: TapTally }) {
  const t = useTranslations('taps');
  const [isOpen, setIsOpen] = useState(false);
  const { list } = useFormatter();
  const { length } = useDurations();
  const { total, admitted, refused, failed, bought, levels } = tally;

  const formatLevel = ({ level, limit, windowMs }: TapTally['levels'][number]) =>
    level === 'user' || level === 'global' ? t(level, { limit, window: length(windowMs) }) : level;
  return (
    <Notice tone={refused > 0 ? 'refused' : failed > 0 ? 'warning' : 'good'}>
      {t('result', {
        total,
        admitted,
        refused,
        failed,
        bought: bought ? 'yes' : 'no',
        rules: list(levels.map(formatLevel), { type: 'conjunction' }),
      })}
      {refusal && (isWaiting || isOpen) && (
        <Why refusal={refusal} isOver={!isWaiting} onToggle={(open) => isWaiting && setIsOpen(open)} />
      )}
    </Notice>
  );
}
