'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Notice, Skeleton } from '../_components/ui/status';
import { Instant } from '../_i18n/local-time';
import styles from './shell.module.css';

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
    <div className={classNames(layout.stack3, styles.mailbox)}>
      <div role="status">
        {isError && <Notice tone="warning">{t('unreadable')}</Notice>}
        {data?.length === 0 && <Notice>{t('empty')}</Notice>}
        {data && data.length > 0 && <span className={layout.hint}>{t('count', { count: data.length })}</span>}
      </div>
      {!data && !isError && <Skeleton shape="row" />}
      {data && data.length > 0 && (
        <ul className={layout.stack2}>
          {data.map(({ to, code, sentAt }) => (
            <li key={`${sentAt} ${to} ${code}`} className={styles.mail}>
              <code className={styles.code}>{code}</code>
              <span className={styles.to}>{to}</span>
              <span className={layout.hint}>
                <Instant at={sentAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A code that the demo would have sent by e-mail. */
interface MailboxEntry {
  to: string;
  code: string;
  /** Epoch ms. */
  sentAt: number;
}

/** Fetches the codes of this demo, newest first. Throws for a missing or invalid response. */
async function fetchMailbox({ signal }: { signal: AbortSignal }): Promise<MailboxEntry[]> {
  const response = await fetch('/dev/mailbox.json', { signal });
  const entries: unknown = response.ok ? await response.json() : undefined;
  if (Array.isArray(entries) && entries.every(isEntry)) return entries;
  throw new Error(`The mailbox cannot be read (${response.status}).`);
}

function isEntry(value: unknown): value is MailboxEntry {
  return (
    typeof value === 'object' &&
    value !== null &&
    'to' in value &&
    typeof value.to === 'string' &&
    'code' in value &&
    typeof value.code === 'string' &&
    'sentAt' in value &&
    typeof value.sentAt === 'number'
  );
}
