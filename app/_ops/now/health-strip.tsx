import { useLocale, useTranslations } from 'next-intl';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Notice } from '../../_components/ui/notice';
import { Stat } from '../../_components/ui/stat';
import { sentenceGap } from '../../_i18n/sentence-gap';
import { useFormats } from '../../_i18n/use-formats';
import { isRepairing, useHealthText } from '../health-text';
import type { Health, OpsEvent } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import styles from './health-strip.module.css';

/** The dependencies, the most important first. */
const dependencies = ['redis', 'postgres', 'ledger', 'auditor'] as const;

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
        return (
          <Stat
            key={name}
            label={t(name)}
            value={found && t(conditionOf(found))}
            detail={found?.ok && <span className={styles.healthy}>{formatHealth(found)}</span>}
            state={found ? states[conditionOf(found)] : 'plain'}
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

const states = { ok: 'good', repairing: 'wait', failing: 'bad' } as const;

function conditionOf(health: Health): keyof typeof states {
  if (!health.ok) return 'failing';
  return isRepairing(health) ? 'repairing' : 'ok';
}

function Nodes({ nodes }: { nodes: OpsEvent['nodes'] | undefined }) {
  const t = useTranslations('opsNow.health');
  const isFailing = nodes?.some(({ failing }) => failing.length > 0) ?? false;
  return (
    <Stat
      label={t('nodes')}
      value={nodes && t('nodeCount', { count: nodes.length })}
      detail={nodes && !isFailing && <span className={styles.healthy}>{t('allReady')}</span>}
      state={isFailing ? 'bad' : 'plain'}
    />
  );
}

/** Names the failing checks of each node. Empty without one. */
function FailingNodes({ nodes = [] }: { nodes: OpsEvent['nodes'] | undefined }) {
  const t = useTranslations('opsNow.health');
  const { list } = useFormats();
  const failing = nodes.filter((node) => node.failing.length > 0);
  if (failing.length === 0) return null;

  /** Returns the name of a dependency. A check without a translation keeps its code name. */
  function nameOf(check: string): string {
    const known = dependencies.find((name) => name === check);
    return known ? t(known) : check;
  }

  return (
    <div className={styles.failing}>
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
  const { number } = useFormats();
  const milliseconds = (ms: number) => t('ms', { ms: number(ms, { maximumSignificantDigits: 2 }) });
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

/** The checks of `/readyz` that the health strip does not show. Each shows only while it fails. */
const warnings = ['redisErrors', 'redisClock', 'redisSettings'] as const;

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
