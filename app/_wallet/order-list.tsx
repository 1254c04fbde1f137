'use client';

import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { classNames } from '../_components/ui/class-names';
import { type OrderGroup, withHeadings } from './order-groups';
import styles from './order-list.module.css';

interface Props {
  /** Sorted by group. */
  items: readonly { id: string; group: OrderGroup; ticket: ReactNode }[];
}

/**
 * Lists tickets by group. A ticket that is paid here stays next to those to pay until the page is left, so that the shopper
 * sees its result. One list with keys, so that a ticket that moves to another group keeps its result and the focus.
 */
export function OrderList({ items }: Props) {
  const t = useTranslations('wallet.group');
  const [due, setDue] = useState<readonly string[]>([]);
  const added = items.filter(({ id, group }) => group === 'due' && !due.includes(id));
  if (added.length > 0) setDue([...due, ...added.map(({ id }) => id)]);
  return (
    <ul className={styles.orders}>
      {withHeadings(items, due).map(({ id, group, heading, ticket }) => (
        <li
          key={id}
          className={classNames(styles.item, (group === 'due' || group === 'past') && styles.wide)}
        >
          {heading && <h2 className={styles.group}>{t(heading)}</h2>}
          {ticket}
        </li>
      ))}
    </ul>
  );
}
