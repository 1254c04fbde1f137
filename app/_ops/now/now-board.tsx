'use client';

import { useTranslations } from 'next-intl';
import layout from '../../_components/ui/layout.module.css';
import { Notice } from '../../_components/ui/notice';
import { ActiveAlerts } from '../alerts/active-alerts';
import { sortSharedFirst } from '../levels';
import { useOpsFeed } from '../live/ops-feed-provider';
import type { Policy } from '../types';
import { HealthStrip, HealthWarnings } from './health-strip';
import { PolicyPanel } from './policy-panel';

/** Shows the state of the fleet: alerts, health, and every window. */
export function NowBoard({ policies }: { policies: Policy[] }) {
  return (
    <div className={layout.stack4}>
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
    <div role="status" className={layout.hiddenIfEmpty}>
      {status === 'stale' && <Notice tone="unavailable">{t('stale')}</Notice>}
      {status !== 'stale' && isRedisDown && <Notice tone="unavailable">{t('redisDown')}</Notice>}
    </div>
  );
}
