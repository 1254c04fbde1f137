'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useState, useTransition } from 'react';
import { Outcome } from '../_components/outcome';
import { ProblemNote } from '../_components/problem-note';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import { ConfirmDialog } from '../_components/ui/dialog';
import { SelectField } from '../_components/ui/field';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { formatMoney } from '../_i18n/numbers';
import { useIsStateUnknown, useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { formatTimeToPay } from '../_orders/order-state';
import { newRequestId } from '../_shell/request-id';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { problemOf, resendIfLost } from '../_trpc/problem';
import type { DemoCard, Order } from '../_trpc/types';
import { shownUser } from '../_trpc/user';
import { useViewer } from '../_viewer/viewer-provider';
import styles from './wallet.module.css';

interface CountdownProps {
  /** Begin and end of the hold, on the server's clock. */
  since: number;
  until: number;
  /** That clock at rendering. */
  renderedAt: number;
}

/** Shows the time that is left to pay, as figures and as a bar that empties; nothing afterwards. */
export function HoldCountdown({ since, until, renderedAt }: CountdownProps) {
  const t = useTranslations('wallet');
  const clock = useServerClock(renderedAt);
  const seconds = useCountdown({ clock, until, initial: renderedAt });
  if (seconds === 0) return null;
  const share = Math.min(1, (seconds * 1_000) / Math.max(1, until - since));
  return (
    <div className={classNames(layout.stack2, layout.strong, styles.countdown)}>
      <p>
        {t.rich('payWithin', {
          // A timer is not announced each second.
          time: () => (
            <strong role="timer" className={styles.time}>
              {formatTimeToPay(seconds)}
            </strong>
          ),
        })}
      </p>
      <div className={styles.bar} aria-hidden="true">
        <span style={{ scale: `${share} 1` }} />
      </div>
    </div>
  );
}

interface Props {
  order: Order;
  /** The title of the coupon. */
  title: string;
  /** 0 if the coupon was deleted. */
  priceCents: number;
  /** The server's clock at rendering. */
  renderedAt: number;
}

/** The actions for an order with a price, and their result. */
export function HoldActions(props: Props) {
  const { order, renderedAt } = props;
  const clock = useServerClock(renderedAt);
  const isOver = useCountdown({ clock, until: order.holdUntil, initial: renderedAt }) === 0;
  // No call can be decided now.
  const isPaused = useIsStateUnknown();
  const change = useOrderChange(order.id);
  const state = { ...props, change, isOver, isPaused };
  return (
    <div className={classNames(layout.stack3, styles.actions)}>
      {order.status === 'confirmed' && <PaymentControls {...state} />}
      {/* The buttons disappear with the hold, so the focus moves to the result. */}
      <div className={classNames(layout.hiddenIfEmpty, styles.note)} role="status" data-focus-next="">
        <HoldNote {...state} />
      </div>
    </div>
  );
}

type Change = { kind: 'pay'; card: DemoCard } | { kind: 'cancel' };

/** Pays or cancels an order, then refreshes the page. */
function useOrderChange(id: string) {
  const { order } = useTRPCClient();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const [isRefreshing, refresh] = useTransition();
  const { mutate, isPending, isSuccess, variables, error } = useMutation({
    /** Sends a change, and again if the reply was lost. The same request id never pays or cancels twice. */
    mutationFn(change: Change) {
      const requestId = newRequestId();
      // Of the click, also if it is sent again.
      const options = { context: { userName: shownUser.name } };
      return resendIfLost(() =>
        change.kind === 'pay'
          ? order.pay.mutate({ id, requestId, card: change.card }, options)
          : order.cancel.mutate({ id, requestId }, options),
      );
    },
    onSettled() {
      void queryClient.invalidateQueries(trpc.order.list.queryFilter());
      refresh(() => router.refresh());
    },
  });
  return {
    send: mutate,
    /** The running action, until the page shows its result. */
    pendingAction: isPending || isRefreshing ? variables?.kind : undefined,
    isDone: isSuccess,
    problem: error ? problemOf(error) : undefined,
  };
}

const cards = ['approves', 'declines', 'times-out', 'answers-twice'] as const satisfies readonly DemoCard[];

interface StateProps extends Props {
  change: ReturnType<typeof useOrderChange>;
  /** The hold has ended. */
  isOver: boolean;
  isPaused: boolean;
}

function PaymentControls({ order, title, priceCents, isOver, isPaused, change }: StateProps) {
  const t = useTranslations('payment');
  const { demo } = useViewer();
  const { send, pendingAction } = change;
  const [card, setCard] = useState<DemoCard>('approves');
  const [isConfirming, setIsConfirming] = useState<boolean>();
  const isPending = order.payment === 'pending';
  const isClosed = isOver || isPaused || isPending || pendingAction !== undefined;

  function payWords(): string {
    if (pendingAction === 'pay' || isPending) return t('paying');
    return isPaused && !isOver ? t('paused') : t('pay', { price: formatMoney(priceCents) });
  }

  return (
    <div className={styles.controls}>
      {demo && (
        <SelectField
          label={t('card')}
          value={card}
          options={cards.map((value) => ({ value, label: t(`cards.${value}`) }))}
          onChange={(value) => setCard(cards.find((one) => one === value) ?? 'approves')}
        />
      )}
      <Button
        variant="primary"
        busy={pendingAction === 'pay'}
        closed={isClosed}
        onClick={() => send({ kind: 'pay', card })}
      >
        {payWords()}
      </Button>
      <Button busy={pendingAction === 'cancel'} closed={isClosed} onClick={() => setIsConfirming(true)}>
        {t(pendingAction === 'cancel' ? 'cancelling' : 'cancel')}
      </Button>
      {isConfirming !== undefined && (
        <ConfirmDialog
          title={t('cancelTitle', { title })}
          isOpen={isConfirming}
          confirm={t('cancel')}
          cancel={t('keep')}
          isBusy={false}
          onConfirm={() => {
            setIsConfirming(false);
            send({ kind: 'cancel' });
          }}
          onClose={() => setIsConfirming(false)}
        >
          <p>{t('cancelText')}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

/** The message of a rejected change, by the present status of the order. */
const rejectionKeys: Partial<Record<Order['status'], 'tooLate' | 'cancelled'>> = {
  expired: 'tooLate',
  cancelled: 'cancelled',
};

/** Shows the state of an order's payment. */
function HoldNote({ order: { status, payment }, priceCents, isOver, isPaused, change }: StateProps) {
  const t = useTranslations('payment');
  const { isDone, problem } = change;
  const amount = priceCents > 0 ? formatMoney(priceCents) : 'unknown';
  if (payment === 'refund-due') return <Notice tone="warning">{t('refundDue', { amount })}</Notice>;
  if (payment === 'refunded') return <Notice tone="good">{t('refunded', { amount })}</Notice>;
  if (problem?.kind === 'rejected')
    return <Notice tone="over">{t(rejectionKeys[status] ?? 'changed')}</Notice>;
  if (status === 'paid') {
    return (
      isDone && (
        <div className={styles.celebration}>
          <Outcome variant="owned" title={t('approved')}>
            {t('approvedText')}
          </Outcome>
        </div>
      )
    );
  }
  if (status !== 'confirmed') return null;
  if (problem?.kind === 'unavailable') return <Notice tone="unavailable">{t('unavailable')}</Notice>;
  if (problem) return <ProblemNote problem={problem} here="/wallet" isPurchase />;
  if (isOver) return <Notice tone="over">{t('over')}</Notice>;
  if (payment === 'pending') return <Notice tone="waiting">{t('pending')}</Notice>;
  if (isPaused) return <Notice tone="unavailable">{t('storeDown')}</Notice>;
  return (
    payment === 'declined' && change.pendingAction !== 'pay' && <Notice tone="failed">{t('declined')}</Notice>
  );
}
