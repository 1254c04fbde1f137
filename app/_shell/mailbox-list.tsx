'use client';

import { useTranslations } from 'next-intl';
import { Instant } from '../_components/ui/instant';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/notice';
import { Skeleton } from '../_components/ui/skeleton';
import { useQuery } from '../_trpc/query';
import { fetchMailbox } from './mailbox-entry';
import styles from './mailbox-list.module.css';

/** Interval of the refresh on a visible page. */
const REFRESH_MS = 2_000;

/** Lists the codes as they arrive. */
export function MailboxList() {
  const t = useTranslations('mailbox');
  const { data, isError } = useQuery({
    queryKey: ['mailbox'],
    queryFn: fetchMailbox,
    refetchInterval: REFRESH_MS,
    retry: false,
  });

  return (
    <div className={styles.mailbox}>
      <div role="status">
        {isError && <Notice tone="warning">{t('unreadable')}</Notice>}
        {data?.length === 0 && <Notice>{t('empty')}</Notice>}
        {data && data.length > 0 && (
          <span className={styles.count}>{t('count', { count: data.length })}</span>
        )}
      </div>
      {!data && !isError && <Skeleton shape="row" />}
      {data && data.length > 0 && (
        <ul className={layout.stack2}>
          {data.map(({ to, code, sentAt }) => (
            <li key={`${sentAt} ${to} ${code}`} className={styles.mail}>
              <code className={styles.code}>{code}</code>
              <span className={styles.to}>{to}</span>
              <span className={styles.at}>
                <Instant at={sentAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
