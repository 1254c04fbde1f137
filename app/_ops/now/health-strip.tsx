import { useFormatter, useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../../_components/ui/class-names';
import { Stat } from '../../_components/ui/status';
import { listNodeFaults, useHealthText } from '../health';
import type { OpsEvent } from '../live/ops-event';
import { useOpsFeed, useOpsStatus } from '../live/ops-feed-provider';
import { type Condition, dependencies, readCondition, readNodesState } from './condition';
import styles from './health.module.css';

/**
 * Shows stores, ledger, auditor, nodes, viewers and the latency of decisions. The layout is fixed while values load.
 */
export function HealthStrip() {
  const t = useTranslations('opsNow.health');
  const event = useOpsFeed((snapshot) => snapshot.event);
  const status = useOpsFeed((snapshot) => snapshot.status);
  const isOld = useOpsStatus() === 'stale';
  const lastKnown = isOld && <span className={styles.healthy}>{t('lastKnown')}</span>;
  const formatHealth = useHealthText();

  function conditionOf(name: (typeof dependencies)[number]): Condition | undefined {
    const condition = event && readCondition(name, event);
    return condition ?? (status === 'connecting' ? 'checking' : undefined);
  }

  return (
    <dl className={classNames(styles.strip, isOld && styles.oldStrip)} aria-label={t('title')}>
      {dependencies.map((name) => {
        const found = event?.health[name];
        const condition = conditionOf(name);
        const detail = (condition === 'ok' || condition === 'repairing') && found && formatHealth(found);
        return (
          <Stat
            key={name}
            label={t(name)}
            value={condition && t(condition)}
            detail={detail && <span className={styles.healthy}>{detail}</span>}
            state={condition ? states[condition] : 'plain'}
          />
        );
      })}
      <Nodes event={event} lastKnown={lastKnown} />
      <Stat
        label={t('viewers')}
        value={event && t('viewerCount', { count: event.viewers })}
        detail={lastKnown}
      />
      <Latency latency={event?.latency} />
    </dl>
  );
}

const states = {
  ok: 'good',
  checking: 'plain',
  repairing: 'wait',
  erring: 'wait',
  slow: 'wait',
  failing: 'bad',
} as const satisfies Record<Condition, string>;

function Nodes({ event, lastKnown }: { event: OpsEvent | undefined; lastKnown: ReactNode }) {
  const t = useTranslations('opsNow.health');
  const nodes = event?.nodes;
  const state = readNodesState(event && listNodeFaults(event));
  const isReady = state === 'plain' && Object.values(event?.health ?? {}).every(({ ok }) => ok);
  return (
    <Stat
      label={t('nodes')}
      value={nodes && t('nodeCount', { count: nodes.length })}
      detail={lastKnown || (isReady && <span className={styles.healthy}>{t('allReady')}</span>)}
      state={state}
    />
  );
}

/** The p99 above which decisions are slow, as in the alert rule `slow-decisions`. */
const SLOW_MS = 100;

/** With fewer decisions, the p99 is that of the slowest. */
const MIN_DECISIONS = 100;

/** Shows p50 and p99 of the last minute's decisions. */
function Latency({ latency }: { latency: OpsEvent['latency'] | undefined }) {
  const t = useTranslations('opsNow.health');
  const { number } = useFormatter();
  const milliseconds = (ms: number) =>
    t('ms', { ms: number(Number(ms.toPrecision(2)), { maximumFractionDigits: 3 }) });
  if (!latency) {
    return <Stat label={t('latency')} value={latency === null ? t('noDecisions') : undefined} />;
  }
  const isSlow = latency.p99Ms > SLOW_MS && latency.decisions >= MIN_DECISIONS;
  return (
    <Stat
      label={t('latency')}
      value={t('percentiles', { p50: milliseconds(latency.p50Ms), p99: milliseconds(latency.p99Ms) })}
      detail={
        isSlow
          ? t('slowDecisions', { ms: milliseconds(SLOW_MS) })
          : t('decisions', { count: latency.decisions })
      }
      state={isSlow ? 'wait' : 'plain'}
    />
  );
}
