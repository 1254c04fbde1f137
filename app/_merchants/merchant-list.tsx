import { ChevronRight } from 'lucide-react';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { Badge } from '../_components/ui/badge';
import { Button } from '../_components/ui/button';
import type { Merchant } from '../_trpc/types';
import styles from './merchant-list.module.css';

interface Props {
  merchants: Merchant[];
  query: string;
  /** Clears the search. */
  onShowAll(): void;
}

/** Lists the merchants that a search found. */
export function MerchantList({ merchants, query, onShowAll }: Props) {
  const t = useTranslations('merchants');
  if (merchants.length === 0) {
    return (
      <div className={styles.none}>
        <p>{t('none', { query })}</p>
        {query && <Button onClick={onShowAll}>{t('showAll')}</Button>}
      </div>
    );
  }
  return (
    <ul className={styles.list}>
      {merchants.map(({ id, name, category, address, couponCount }) => (
        <li key={id}>
          <Link prefetch={false} className={styles.merchant} href={`/merchants/${encodeURIComponent(id)}`}>
            <span className={styles.words}>
              <span className={styles.name}>{name}</span>
              <span className={styles.where}>
                {category} · {address}
              </span>
            </span>
            <Badge tone={couponCount > 0 ? 'water' : 'neutral'}>{t('coupons', { count: couponCount })}</Badge>
            <ChevronRight size={18} aria-hidden="true" />
          </Link>
        </li>
      ))}
    </ul>
  );
}
