'use client';

import { useTranslations } from 'next-intl';
import layout from '../../_components/ui/layout.module.css';
import { FeedBadge } from '../../_window/feed-badge';
import { ActiveAlerts } from '../alerts/active-alerts';
import { useOpsStatus } from '../live/ops-feed-provider';
import type { Policy } from '../types';
import { FleetPulse } from './fleet-pulse';
import { HealthStrip } from './health-strip';
import { LevelsTable } from './levels-table';
import styles from './now.module.css';
import { QueuesTable } from './queues-table';

/** Shows the state of the fleet on one screen: alerts, traffic, health, and every level. */
export function NowBoard({ policies }: { policies: Policy[] }) {
  const t = useTranslations('opsNow');
  return (
    <div className={layout.stack3}>
      <div className={styles.head}>
        <div className={layout.row2}>
          <h1 className={styles.title}>{t('title')}</h1>
          <FeedBadge status={useOpsStatus()} />
        </div>
        <ActiveAlerts isSummary />
      </div>
      <FleetPulse policies={policies} />
      <HealthStrip />
      <LevelsTable policies={policies} />
      <QueuesTable />
    </div>
  );
}
