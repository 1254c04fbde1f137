'use client';

import { useTranslations } from 'next-intl';
import { Notice } from '../../_components/ui/notice';
import { ActiveAlerts } from '../alerts/active-alerts';
import { useOpsFeed } from '../live/ops-feed-provider';
import { sortSharedFirst } from '../sort-shared-first';
import type { Policy } from '../types';
import { HealthStrip } from './health-strip';
import { HealthWarnings } from './health-warnings';
import styles from './now-board.module.css';
import { PolicyPanel } from './policy-panel';

/** Shows the state of the fleet: alerts, health, and every window. */
export function NowBoard({ policies }: { policies: Policy[] }) {
  return (
    <div className={styles.board}>
      <FeedNote />
      <ActiveAlerts />
      <HealthStrip />
      <HealthWarnings />
      {sortSharedFirst(policies).map((policy) => (
        <PolicyPanel key={policy.policy} policy={policy} />
      ))}
    </div>
  );
}

/** Warns when the shown values are out of date. */
function FeedNote() {
  const t = useTranslations('opsNow');
  const status = useOpsFeed((snapshot) => snapshot.status);
  const isRedisDown = useOpsFeed(({ event }) => event?.stale === true);
  return (
    <div role="status">
      {status === 'stale' && <Notice tone="cut">{t('stale')}</Notice>}
      {status !== 'stale' && isRedisDown && <Notice tone="cut">{t('redisDown')}</Notice>}
    </div>
  );
}
