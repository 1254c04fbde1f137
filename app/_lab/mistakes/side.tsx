import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { LimitBar } from '../../_components/ui/limit-bar';
import { LimitBadge } from '../lanes/limit-badge';
import styles from './side.module.css';

interface Props {
  title: string;
  /** The most in one window; `undefined` until it is known. */
  count: number | undefined;
  limit: number;
  /** What the whole bar is, so that two sides can be compared. */
  max: number;
  /** Further numbers, with their names. */
  facts: readonly { name: string; value: ReactNode }[];
  children?: ReactNode;
}

/** One version of a limiter under a load: what it let through against the limit. */
export function Side({ title, count, limit, max, facts, children }: Props) {
  const t = useTranslations('lab.side');
  return (
    <div className={styles.side}>
      <h4 className={styles.title}>{title}</h4>
      <div className={styles.figure}>
        <span className={styles.count}>{count === undefined ? '–' : t('count', { count, limit })}</span>
        {count !== undefined && <LimitBadge count={count} limit={limit} />}
      </div>
      <LimitBar value={count ?? 0} limit={limit} max={Math.max(max, limit)} />
      <dl className={styles.facts}>
        {facts.map(({ name, value }) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {children}
    </div>
  );
}
