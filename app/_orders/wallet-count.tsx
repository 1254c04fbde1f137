'use client';

import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { classNames } from '../_components/ui/class-names';
import { useServerClock } from '../_live/live-provider';
import { countCoupons, countDue, refetchAfterHoldMs } from './order-state';
import styles from './orders.module.css';
import { useOrders } from './use-orders';

/** Shows the number of coupons to pay, else the number of coupons in the wallet. `nameId` gets the name of the link. */
export function WalletCount({ nameId }: { nameId: string }) {
  const t = useTranslations('shell');
  const clock = useServerClock();
  const { orders, nextCursor } = useOrders({ refetchMs: (read) => refetchAfterHoldMs(read, clock.now()) });
  // The server renders no count: it would read the orders for every page.
  const [isMounted, setIsMounted] = useState(false);
  useEffect(() => setIsMounted(true), []);

  const count = isMounted ? countCoupons(orders) : 0;
  const due = countDue(orders);
  const text = t(nextCursor === undefined ? 'walletCount' : 'walletCountMore', { count, due });
  const shown = due || (nextCursor === undefined ? count : `${count}+`);
  return (
    <>
      <span id={nameId} hidden>
        {count === 0 ? t('wallet') : text}
      </span>
      {/* The visible text, such as "Wallet 2", is a part of the name. */}{' '}
      {count > 0 && (
        <span key={shown} className={classNames(styles.count, due > 0 && styles.due)} aria-hidden="true">
          {shown}
        </span>
      )}
    </>
  );
}
