'use client';

import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { useServerClock } from '../_live/live-provider';
import { useOrders } from './use-orders';
import styles from './wallet-count.module.css';
import { countCoupons, refetchAfterHoldMs } from './wallet-summary';

/** Shows the number of coupons in the wallet: to be paid, or ready to use. `nameId` gets the name of the link. */
export default function WalletCount({ nameId }: { nameId: string }) {
  const t = useTranslations('shell');
  const clock = useServerClock();
  const { orders, nextCursor } = useOrders({ refetchMs: (read) => refetchAfterHoldMs(read, clock.now()) });
  // The server renders no count: it would read the orders for every page.
  const [isMounted, setIsMounted] = useState(false);
  useEffect(() => setIsMounted(true), []);

  const count = isMounted ? countCoupons(orders) : 0;
  const text = nextCursor === undefined ? t('walletCount', { count }) : t('walletCountMore', { count });
  return (
    <>
      <span id={nameId} hidden>
        {count === 0 ? t('wallet') : text}
      </span>
      {count > 0 && (
        <span key={count} className={styles.count} aria-hidden="true">
          {nextCursor === undefined ? count : `${count}+`}
        </span>
      )}
    </>
  );
}
