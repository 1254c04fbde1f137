'use client';

import { useLocale, useTranslations } from 'next-intl';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../_components/ui/button';
import { SelectField } from '../_components/ui/field';
import { formatMoney } from '../_i18n/money';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-countdown';
import { useViewer } from '../_shell/viewer-provider';
import type { DemoCard, Order } from '../_trpc/types';
import styles from './hold-actions.module.css';
import { HoldNote } from './hold-note';
import { type OrderChange, useOrderChange } from './use-order-change';

interface Props {
  order: Order;
  priceCents: number;
  /** The server's clock at rendering. */
  renderedAt: number;
}

/** The actions for an order with a price, and their result. */
export function HoldActions({ order, priceCents, renderedAt }: Props) {
  const clock = useServerClock(renderedAt);
  const seconds = useCountdown({ clock, until: order.holdUntil, initial: renderedAt });
  const change = useOrderChange(order.id);
  const isHeld = order.status === 'confirmed';
  const note = useRef<HTMLDivElement>(null);
  const hasActed = useRef(false);

  // The buttons disappear with the hold, so the focus moves to the result.
  useEffect(() => {
    if (change.underWay) hasActed.current = true;
    else if (!isHeld && hasActed.current) note.current?.focus();
  }, [isHeld, change.underWay]);

  return (
    <div className={styles.actions}>
      {isHeld && <PaymentControls order={order} priceCents={priceCents} isOver={seconds === 0} {...change} />}
      <div ref={note} className={styles.note} role="status" tabIndex={-1}>
        <HoldNote order={order} isOver={seconds === 0} isDone={change.isDone} problem={change.problem} />
      </div>
    </div>
  );
}

const cards = ['approves', 'declines', 'times-out', 'answers-twice'] as const satisfies readonly DemoCard[];

interface ControlsProps extends Pick<OrderChange, 'pay' | 'cancel' | 'underWay'> {
  order: Order;
  priceCents: number;
  isOver: boolean;
}

function PaymentControls({ order, priceCents, isOver, pay, cancel, underWay }: ControlsProps) {
  const t = useTranslations('payment');
  const language = useLocale() === 'zh' ? 'zh' : 'en';
  const { demo } = useViewer();
  const [card, setCard] = useState<DemoCard>('approves');
  const [isSure, setIsSure] = useState(false);
  const isPending = order.payment === 'pending';

  function cancelSurely(): void {
    setIsSure(!isSure);
    if (isSure) cancel();
  }

  function cancelWords(): string {
    if (underWay === 'cancel') return t('cancelling');
    return t(isSure ? 'reallyCancel' : 'cancel');
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
        busy={underWay === 'pay'}
        closed={isOver || isPending || underWay !== undefined}
        onClick={() => pay(card)}
      >
        {underWay === 'pay' ? t('paying') : t('pay', { price: formatMoney(priceCents, language) })}
      </Button>
      <Button
        busy={underWay === 'cancel'}
        closed={isOver || isPending || underWay !== undefined}
        onBlur={() => setIsSure(false)}
        onClick={cancelSurely}
      >
        {cancelWords()}
      </Button>
    </div>
  );
}
