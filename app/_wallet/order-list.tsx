'use client';

import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useState } from 'react';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { useCouponsVersion } from '../_live/live-provider';
import { useReloadOnChange } from '../_live/use-reload-on-change';
import { type OrderGroup, withHeadings } from './order-groups';
import styles from './wallet.module.css';

interface Props {
  /** Sorted by group. */
  items: readonly { id: string; group: OrderGroup; ticket: ReactNode }[];
  /** The interval at which the page is read again while it is visible; `undefined`: not. */
  refreshMs: number | undefined;
  /** The version of the coupons on the page. */
  couponsVersion: string;
}

/**
 * Lists tickets by group. A ticket that is paid here stays next to those to pay until the page is left, so that the shopper
 * sees its result. One list with keys, so that a ticket that moves to another group keeps its result and the focus.
 */
export function OrderList({ items, refreshMs, couponsVersion }: Props) {
  const t = useTranslations('wallet.group');
  useRefresh(refreshMs, couponsVersion);
  const [due, setDue] = useState<readonly string[]>([]);
  const added = items.filter(({ id, group }) => group === 'due' && !due.includes(id));
  if (added.length > 0) setDue([...due, ...added.map(({ id }) => id)]);
  return (
    <ul className={styles.orders}>
      {withHeadings(items, due).map(({ id, group, heading, isAlone, ticket }) => (
        <li key={id} className={classNames(styles.item, wideOf(group, isAlone))}>
          {heading && <h2 className={classNames(layout.title, layout.whole, styles.group)}>{t(heading)}</h2>}
          {ticket}
        </li>
      ))}
    </ul>
  );
}

/** Returns the class of a ticket that takes all columns. A ticket to show has a column of its own, unless it is alone. */
function wideOf(group: OrderGroup, isAlone: boolean): string | undefined {
  if (group === 'due' || group === 'past') return styles.wide;
  return isAlone ? styles.alone : undefined;
}

/** Reads the page again at an interval, and when a coupon has changed. */
function useRefresh(everyMs: number | undefined, couponsVersion: string): void {
  const router = useRouter();
  useReloadOnChange({ value: useCouponsVersion(), initial: couponsVersion, reload: () => router.refresh() });
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') router.refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [router, everyMs]);
}
