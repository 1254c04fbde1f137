'use client';

import { useTranslations } from 'next-intl';
import { Notice } from '../../_components/ui/notice';
import { ActiveAlerts } from '../alerts/active-alerts';
import { useOpsFeed } from '../live/ops-feed-provider';
import { sharedFirst } from '../shared-first';
import type { Policy } from '../types';
import { HealthStrip } from './health-strip';
import { HealthWarnings } from './health-warnings';
import styles from './now-board.module.css';
import { PolicyPanel } from './policy-panel';

/** The whole fleet as it is: what stands against it, what it stands on, and every window. */
export function NowBoard({ policies }: { policies: Policy[] }) {
  return (
    <div className={styles.board}>
      <FeedNote />
      <ActiveAlerts />
      <HealthStrip />
      <HealthWarnings />
      {sharedFirst(policies).map((policy) => (
        <PolicyPanel key={policy.policy} policy={policy} />
      ))}
    </div>
  );
}

/** Says when what is shown can no longer be believed. */
function FeedNote() {
  const t = useTranslations('opsNow');
  const status = useOpsFeed((snapshot) => snapshot.status);
  const isRedisAway = useOpsFeed(({ event }) => event?.stale === true);
  return (
    <div role="status">
      {status === 'stale' && <Notice tone="cut">{t('silent')}</Notice>}
      {status !== 'stale' && isRedisAway && <Notice tone="cut">{t('redisAway')}</Notice>}
    </div>
  );
}
