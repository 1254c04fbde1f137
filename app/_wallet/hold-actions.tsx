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
  /** The server's clock when the page was made. */
  renderedAt: number;
}

/** What a shopper can do about an order that has a price, and what became of that. */
export function HoldActions({ order, priceCents, renderedAt }: Props) {
  const clock = useServerClock(renderedAt);
  const seconds = useCountdown({ clock, until: order.holdUntil, initial: renderedAt });
  const change = useOrderChange(order.id);
  const isHeld = order.status === 'confirmed';
  const note = useRef<HTMLDivElement>(null);
  const hasActed = useRef(false);

  // The pressed button is gone with the hold; who used it goes on where it is said what came of it.
  useEffect(() => {
    if (change.underWay) hasActed.current = true;
    else if (!isHeld && hasActed.current) note.current?.focus();
  }, [isHeld, change.underWay]);

  return (
    <div className={styles.actions}>
      {isHeld && <Controls order={order} priceCents={priceCents} isOver={seconds === 0} {...change} />}
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

function Controls({ order, priceCents, isOver, pay, cancel, underWay }: ControlsProps) {
  const t = useTranslations('payment');
  const language = useLocale() === 'zh' ? 'zh' : 'en';
  const { demo } = useViewer();
  const [card, setCard] = useState<DemoCard>('approves');
  const [isSure, setIsSure] = useState(false);
  const isAsking = order.payment === 'pending';

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
        closed={isOver || isAsking || underWay !== undefined}
        onClick={() => pay(card)}
      >
        {underWay === 'pay' ? t('paying') : t('pay', { price: formatMoney(priceCents, language) })}
      </Button>
      <Button
        busy={underWay === 'cancel'}
        closed={isOver || isAsking || underWay !== undefined}
        onBlur={() => setIsSure(false)}
        onClick={cancelSurely}
      >
        {cancelWords()}
      </Button>
    </div>
  );
}
