import { useLocale, useTranslations } from 'next-intl';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Notice } from '../../_components/ui/notice';
import { Stat } from '../../_components/ui/stat';
import { formatDecimal } from '../../_i18n/format-decimal';
import { sentenceGap } from '../../_i18n/sentence-gap';
import { useFormats } from '../../_i18n/use-formats';
import { isRepairing, useHealthText } from '../health-text';
import type { Health, OpsEvent } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import styles from './health-strip.module.css';
import { hasRedisErrors } from './redis-errors';

/** The dependencies, the most important first. */
const dependencies = ['redis', 'postgres', 'ledger', 'auditor'] as const;

/** The checks of `/readyz` that have no number here. Each shows only while it fails. The node is ready meanwhile. */
const warnings = ['redisErrors', 'redisClock', 'redisSettings'] as const;

/**
 * Shows stores, ledger, auditor, nodes, viewers and the latency of decisions. The layout is fixed while values load.
 */
export function HealthStrip() {
  const t = useTranslations('opsNow.health');
  const event = useOpsFeed((snapshot) => snapshot.event);
  const formatHealth = useHealthText();
  return (
    <dl className={styles.strip} aria-label={t('title')}>
      {dependencies.map((name) => {
        const found = event?.health[name];
        const condition = event && found && conditionOf(name, found, event);
        const detail = condition === 'erring' ? t('errorReplies') : found?.ok && formatHealth(found);
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
      <Nodes nodes={event?.nodes} />
      <Stat label={t('viewers')} value={event && t('viewerCount', { count: event.viewers })} />
      <Latency latency={event?.latency} />
      {/* The reason of a failure is a sentence, which needs a line of its own. Below the numbers, it moves none of them. */}
      {dependencies.map((name) => {
        const found = event?.health[name];
        return (
          found?.ok === false && (
            <div key={name} className={styles.failing}>
              <dt>{t(name)}</dt>
              <dd>{formatHealth(found)}</dd>
            </div>
          )
        );
      })}
      <FailingNodes nodes={event?.nodes} />
    </dl>
  );
}

const states = { ok: 'good', repairing: 'wait', erring: 'wait', failing: 'bad' } as const;

function conditionOf(name: string, health: Health, event: OpsEvent): keyof typeof states {
  if (!health.ok) return 'failing';
  // Redis decides, but a key, a script or another node gets errors from it.
  if (name === 'redis' && hasRedisErrors(event)) return 'erring';
  return isRepairing(health) ? 'repairing' : 'ok';
}

function Nodes({ nodes }: { nodes: OpsEvent['nodes'] | undefined }) {
  const t = useTranslations('opsNow.health');
  const state = stateOf(nodes);
  return (
    <Stat
      label={t('nodes')}
      value={nodes && t('nodeCount', { count: nodes.length })}
      detail={nodes && state === 'plain' && <span className={styles.healthy}>{t('allReady')}</span>}
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

/** Names the failing checks of each node. Empty without one. */
function FailingNodes({ nodes = [] }: { nodes: OpsEvent['nodes'] | undefined }) {
  const t = useTranslations('opsNow.health');
  const { list } = useFormats();
  const failing = nodes.filter((node) => node.failing.length > 0);
  if (failing.length === 0) return null;

  /** Returns the name of a dependency, or a warning in words. A check without a translation keeps its code name. */
  function nameOf(check: string): string {
    if (isWarning(check)) return t(`reason.${check}`);
    const known = dependencies.find((name) => name === check);
    return known ? t(known) : check;
  }

  return (
    <div className={classNames(styles.failing, stateOf(failing) === 'wait' && styles.warning)}>
      <dt>{t('nodes')}</dt>
      <dd>{failing.map(({ node, failing: names }) => `${node}: ${list(names.map(nameOf))}`).join('; ')}</dd>
    </div>
  );
}

/** The p99 above which decisions are slow, as in the alert DecisionsSlow of deploy/prometheus/rules.yml. */
const SLOW_MS = 100;

/** Shows p50 and p99 of the last minute's decisions. */
function Latency({ latency }: { latency: OpsEvent['latency'] | undefined }) {
  const t = useTranslations('opsNow.health');
  const milliseconds = (ms: number) => t('ms', { ms: formatDecimal(Number(ms.toPrecision(2)), 3) });
  if (!latency) {
    return <Stat label={t('latency')} value={latency === null ? t('noDecisions') : undefined} />;
  }
  const isSlow = latency.p99Ms > SLOW_MS;
  return (
    <Stat
      label={t('latency')}
      value={t('percentiles', { p50: milliseconds(latency.p50Ms), p99: milliseconds(latency.p99Ms) })}
      detail={
        isSlow ? t('slow', { ms: milliseconds(SLOW_MS) }) : t('decisions', { count: latency.decisions })
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
