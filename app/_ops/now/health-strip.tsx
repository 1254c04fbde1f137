import { useFormatter, useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../../_components/ui/class-names';
import { Stat } from '../../_components/ui/status';
import { ClockTime } from '../formats';
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
  // Without the stream, no tile is current.
  const asOf =
    status === 'stale' && event && t.rich('asOf', { at: () => <ClockTime at={event.serverNow} to="time" /> });

  function conditionOf(name: (typeof dependencies)[number]): Condition | undefined {
    const condition = event && readCondition(name, event);
    return condition ?? (status === 'connecting' ? 'checking' : undefined);
  }

  return (
    <dl className={classNames(styles.strip, isOld && styles.oldStrip)} aria-label={t('title')}>
      {dependencies.map((name) => {
        const found = event?.health[name];
        const condition = conditionOf(name);
        const hasDetail = condition === 'ok' || condition === 'partly' || condition === 'repairing';
        const detail = asOf || (hasDetail && found && formatHealth(found));
        return (
          <Stat
            key={name}
            label={t(name)}
            value={condition && t(condition)}
            detail={detail && <span className={styles.healthy}>{detail}</span>}
            state={condition && !asOf ? states[condition] : 'plain'}
          />
        );
      })}
      <Nodes event={event} lastKnown={asOf || lastKnown} />
      <Stat
        label={t('viewers')}
        value={event && t('viewerCount', { count: event.viewers })}
        detail={asOf || lastKnown}
      />
      <Latency latency={event?.latency} asOf={asOf} />
    </dl>
  );
}

const states = {
  ok: 'good',
  partly: 'plain',
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

/** The last bucket of decision times takes all longer ones. */
const MAX_MEASURED_MS = 500;

/** Shows p50 and p99 of the last minute's decisions. */
function Latency({ latency, asOf }: { latency: OpsEvent['latency'] | undefined; asOf: ReactNode }) {
  const t = useTranslations('opsNow.health');
  const { number } = useFormatter();
  const milliseconds = (ms: number) =>
    t(ms > MAX_MEASURED_MS ? 'orMoreMs' : 'ms', {
      ms: number(Number(Math.min(ms, MAX_MEASURED_MS).toPrecision(2)), { maximumFractionDigits: 3 }),
    });
  if (!latency) {
    return <Stat label={t('latency')} value={latency === null ? t('noDecisions') : undefined} />;
  }
  const isSlow = latency.p99Ms > SLOW_MS && latency.decisions >= MIN_DECISIONS;
  return (
    <Stat
      label={t('latency')}
      value={t('percentiles', { p50: milliseconds(latency.p50Ms), p99: milliseconds(latency.p99Ms) })}
      detail={
        asOf ||
        (isSlow
          ? t('slowDecisions', { ms: milliseconds(SLOW_MS) })
          : t(latency.decisions < MIN_DECISIONS ? 'tooFew' : 'decisions', { count: latency.decisions }))
      }
      state={isSlow && !asOf ? 'wait' : 'plain'}
    />
  );
}
