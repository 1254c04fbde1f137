'use client';

import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { classNames } from '../_components/ui/class-names';
import { useServerClock } from '../_live/live-provider';
import { useOrders } from './use-orders';
import styles from './wallet-count.module.css';
import { countCoupons, countDue, refetchAfterHoldMs } from './wallet-summary';

/** Shows the number of coupons in the wallet, with a mark while one must be paid. `nameId` gets the name of the link. */
export default function WalletCount({ nameId }: { nameId: string }) {
  const t = useTranslations('shell');
  const clock = useServerClock();
  const { orders, nextCursor } = useOrders({ refetchMs: (read) => refetchAfterHoldMs(read, clock.now()) });
  // The server renders no count: it would read the orders for every page.
  const [isMounted, setIsMounted] = useState(false);
  useEffect(() => setIsMounted(true), []);

  const count = isMounted ? countCoupons(orders) : 0;
  const due = countDue(orders);
  const text = t(nextCursor === undefined ? 'walletCount' : 'walletCountMore', { count, due });
  return (
    <>
      <span id={nameId} hidden>
        {count === 0 ? t('wallet') : text}
      </span>
      {count > 0 && (
        <span key={count} className={classNames(styles.count, due > 0 && styles.due)} aria-hidden="true">
          {nextCursor === undefined ? count : `${count}+`}
        </span>
      )}
    </>
  );
}
