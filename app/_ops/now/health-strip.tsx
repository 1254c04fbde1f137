import { useFormatter, useLocale, useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Notice, Stat } from '../../_components/ui/status';
import { sentenceGap } from '../../_i18n/language';
import {
  hasRedisErrors,
  isRepairing,
  isSlow,
  isStoreFailing,
  isUnchecked,
  listNodeFaults,
  useHealthText,
} from '../health';
import type { Health, OpsEvent } from '../live/ops-event';
import { useOpsFeed, useOpsStatus } from '../live/ops-feed-provider';
import styles from './now.module.css';

/** The dependencies, the most important first. */
const dependencies = ['redis', 'postgres', 'ledger', 'auditor'] as const;

const stores = ['redis', 'postgres'] as const;

function isStore(name: string): name is (typeof stores)[number] {
  return stores.some((store) => store === name);
}

/** The checks of `/readyz` that have no number here. Each shows only while it fails. The node is ready meanwhile. */
const warnings = ['redisErrors', 'redisClock', 'redisSettings'] as const;

/**
 * Shows stores, ledger, auditor, nodes, viewers and the latency of decisions. The layout is fixed while values load.
 */
export function HealthStrip() {
  const t = useTranslations('opsNow.health');
  const event = useOpsFeed((snapshot) => snapshot.event);
  const status = useOpsFeed((snapshot) => snapshot.status);
  const isOld = useOpsStatus() === 'stale';
  const lastKnown = isOld && <span className={styles.healthy}>{t('lastKnown')}</span>;
  const gap = sentenceGap(useLocale());
  const formatHealth = useHealthText();

  function conditionOf(name: (typeof dependencies)[number]): keyof typeof states | undefined {
    const found = event?.health[name];
    if (event && found) return readCondition(name, found, event);
    return status === 'connecting' ? 'checking' : undefined;
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
      {/* The reason of a failure is a sentence, which needs a line of its own. Below the numbers, it moves none of them. */}
      {dependencies.map((name) => {
        const found = event?.health[name];
        return (
          found?.ok === false &&
          !isUnchecked(found) && (
            <Fault key={name} label={t(name)} isWarning={conditionOf(name) === 'slow'}>
              <dd>
                {formatHealth(found)}
                {name === 'redis' && conditionOf(name) === 'failing' && gap + t('afterOutage')}
              </dd>
            </Fault>
          )
        );
      })}
      <FailingNodes event={event} />
    </dl>
  );
}

/** A sentence about a failure, below the numbers. */
function Fault({ label, isWarning, children }: { label: string; isWarning: boolean; children: ReactNode }) {
  return (
    <div
      className={classNames(
        layout.words2,
        layout.whole,
        layout.small,
        styles.fault,
        isWarning && styles.warningFault,
      )}
    >
      <dt>{label}</dt>
      {children}
    </div>
  );
}

const states = {
  ok: 'good',
  checking: 'plain',
  repairing: 'wait',
  erring: 'wait',
  slow: 'wait',
  failing: 'bad',
} as const;

function readCondition(
  name: (typeof dependencies)[number],
  health: Health,
  event: OpsEvent,
): keyof typeof states {
  if (isUnchecked(health)) return 'checking';
  if (isSlow(health) && !(isStore(name) && isStoreFailing(name, event))) return 'slow';
  if (!health.ok) return 'failing';
  // Redis decides, but a key, a script or another node gets errors from it.
  if (name === 'redis' && hasRedisErrors(event)) return 'erring';
  return isRepairing(health) ? 'repairing' : 'ok';
}

function Nodes({ event, lastKnown }: { event: OpsEvent | undefined; lastKnown: ReactNode }) {
  const t = useTranslations('opsNow.health');
  const nodes = event?.nodes;
  const state = stateOf(event && listNodeFaults(event));
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

/** Returns `wait` if the nodes have only warnings, which leave them ready. */
function stateOf(nodes: OpsEvent['nodes'] = []): 'plain' | 'wait' | 'bad' {
  const failing = nodes.flatMap((node) => node.failing);
  if (failing.length === 0) return 'plain';
  return failing.every(isWarning) ? 'wait' : 'bad';
}

function isWarning(check: string): check is (typeof warnings)[number] {
  return warnings.some((name) => name === check);
}

/** The other checks with a translation. */
const otherChecks = ['ledger', 'auditor', ...warnings] as const;

/** States the faults of single nodes. A fault of all nodes is stated above. */
function FailingNodes({ event }: { event: OpsEvent | undefined }) {
  const t = useTranslations('opsNow.health');
  const { list } = useFormatter();
  const nodes = event ? listNodeFaults(event) : [];
  if (nodes.length === 0) return null;

  /** Returns the faults of a node, each with a verb. A check without a translation keeps its code name. */
  function faultsText(failing: readonly string[]): string {
    const unreachable = stores.filter((name) => failing.includes(name));
    const others = failing.filter((name) => !isStore(name));
    return list([
      ...(unreachable.length > 0
        ? [t('fault.unreachable', { stores: list(unreachable.map((one) => t(one))) })]
        : []),
      ...others.map((check) => {
        const known = otherChecks.find((name) => name === check);
        return known ? t(`fault.${known}`) : t('fault.other', { check });
      }),
    ]);
  }

  return (
    <Fault label={t('nodes')} isWarning={stateOf(nodes) === 'wait'}>
      {nodes.map(({ node, failing }) => (
        <dd key={node}>{t('fault.ofNode', { node, faults: faultsText(failing) })}</dd>
      ))}
    </Fault>
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

/** Shows the warnings about a Redis that answers. */
export function HealthWarnings() {
  const t = useTranslations('opsNow.health.warning');
  const health = useOpsFeed(({ event }) => event?.health);
  const gap = sentenceGap(useLocale());
  const formatHealth = useHealthText();
  return (
    <div role="status" className={classNames(layout.stack2, layout.hiddenIfEmpty)}>
      {warnings.map((name) => {
        const found = health?.[name];
        // While Redis is down, the line above states it.
        if (name === 'redisErrors' && health?.redis?.ok === false) return null;
        return (
          found?.ok === false && (
            <Notice key={name} tone="warning">
              {t(name)}
              {gap}
              {formatHealth(found)}
            </Notice>
          )
        );
      })}
    </div>
  );
}
