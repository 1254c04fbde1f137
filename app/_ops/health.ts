import { useFormatter, useLocale, useTranslations } from 'next-intl';
import { sentenceGap } from '../_i18n/language';
import type { Health, OpsEvent } from './live/ops-event';
import { useOpsFeed } from './live/ops-feed-provider';
import type { Level, Policy } from './types';

/** Returns a formatter of health checks in the page's language. Needs the namespace `ops`. */
export function useHealthText(): (health: Health) => string {
  const t = useTranslations('ops.finding');
  const language = useLocale();
  return (health) => formatHealth({ t, language }, health);
}

/** Formats the findings of a check. The details of a newer server stay in English. `t` reads `ops.finding`. */
export function formatHealth(
  { t, language }: { t: ReturnType<typeof useTranslations<'ops.finding'>>; language: string },
  { ok, detail, findings }: Health,
): string {
  if (!findings) return ok ? detail : t('failed');
  const texts = findings.map(({ code, values = {} }) => t.has(code) && t(code, toArguments(values)));
  return texts.includes(false) ? detail : texts.join(sentenceGap(language));
}

/** The values that the messages may use. An absent one is not part of the message of its code. */
const noValues = {
  ...{ kind: '', state: '', counts: '', couponId: '', direction: '', address: '' },
  ...{ name: '', value: '', wanted: '' },
  ...{ ms: 0, lagMs: 0, seconds: 0, minutes: 0, consistent: 0, unchecked: 0, count: 0 },
};

function toArguments(values: Record<string, string | number>): typeof noValues {
  // A sale that changed during its comparison is neither consistent nor a mismatch: the next audit compares it again.
  const unchecked = toUnchecked(values);
  const minutes = Math.floor(Number(values.seconds ?? 0) / 60);
  return { ...noValues, ...values, unchecked, minutes };
}

function toUnchecked({ audited = 0, consistent = 0 }: Record<string, string | number>): number {
  return Number(audited) - Number(consistent);
}

/** Returns the number of sales that the last audit could not compare. */
export function countUnchecked({ findings = [] }: Health): number {
  const audited = findings.find(({ code }) => code === 'audited');
  return audited ? toUnchecked(audited.values ?? {}) : 0;
}

/** Returns true if a check found something that the servers repair without a person. */
export function isRepairing({ findings }: Health): boolean {
  return findings?.some(({ code }) => code === 'repairing') ?? false;
}

/** Returns true if a check found nothing in time, as in a flood, where replies wait in the event loop of the node. */
export function isSlow({ findings }: Health): boolean {
  return findings?.some(({ code }) => code === 'slow') ?? false;
}

/** Returns true if a check has no result yet. */
export function isUnchecked({ findings }: Health): boolean {
  return findings?.some(({ code }) => code === 'not-checked-yet' || code === 'no-audit-yet') ?? false;
}

/** Returns true if a store does not answer: it is neither slow nor answers with errors, which have their own headlines. */
export function isStoreFailing(store: 'redis' | 'postgres', { health }: Pick<OpsEvent, 'health'>): boolean {
  const found = health[store];
  if (!found || found.ok || isUnchecked(found) || isSlow(found)) return false;
  return !found.findings?.some(({ code }) => code === 'error-reply');
}

/** Returns true if a store is slow and its alert has fired. In a flood, single checks are slow. */
export function isStoreSlow(
  store: 'redis' | 'postgres',
  { health, alerts }: Pick<OpsEvent, 'health' | 'alerts'>,
): boolean {
  const found = health[store];
  return (
    found !== undefined &&
    isSlow(found) &&
    alerts.active.some(({ rule, target }) => rule === 'store-down' && target === store)
  );
}

/** Returns true if Redis answered calls of a node with errors in the last minute, or does so now. */
export function hasRedisErrors({ health, nodes }: Pick<OpsEvent, 'health' | 'nodes'>): boolean {
  return (
    (health.redis?.ok === false && !isUnchecked(health.redis) && !isSlow(health.redis)) ||
    health.redisErrors?.ok === false ||
    nodes.some(({ failing }) => failing.includes('redisErrors'))
  );
}

/** Returns true if a person may have to act: an alert is active, or a check of a node fails. */
export function needsOperator({
  alerts,
  health,
  nodes,
}: Pick<OpsEvent, 'alerts' | 'health' | 'nodes'>): boolean {
  return alerts.active.length > 0 || listFailingChecks({ health, nodes }).length > 0;
}

/** Returns the names of the checks that fail on any node. */
export function listFailingChecks({ health, nodes }: Pick<OpsEvent, 'health' | 'nodes'>): string[] {
  const ofFleet = Object.keys(health).filter((name) => {
    const one = health[name];
    return one && !one.ok && !isUnchecked(one);
  });
  return [...new Set([...ofFleet, ...nodes.flatMap(({ failing }) => failing)])];
}

/** Returns the nodes with faults of their own, without those that all nodes share and the health of the fleet states. */
export function listNodeFaults({ health, nodes }: Pick<OpsEvent, 'health' | 'nodes'>): OpsEvent['nodes'] {
  const isShared = (check: string) =>
    health[check]?.ok === false && nodes.every(({ failing }) => failing.includes(check));
  return nodes
    .map((node) => ({ ...node, failing: node.failing.filter((check) => !isShared(check)) }))
    .filter(({ failing }) => failing.length > 0);
}

const kinds = ['closed', 'open', 'local'] as const;

/** Returns true while the headline states an outage of Redis. */
export function useIsOutage(): boolean {
  return useOpsFeed(
    ({ status, event }) =>
      status === 'live' && event !== undefined && (event.stale || isStoreFailing('redis', event)),
  );
}

/** Returns what a level does without Redis; `undefined` for a value of a newer server. */
export function findOutageKind({
  onStoreError,
}: Pick<Level, 'onStoreError'>): (typeof kinds)[number] | undefined {
  return kinds.find((kind) => kind === onStoreError);
}

/**
 * Returns a function that states what callers get without Redis: the number of limits that refuse, admit, or count on each
 * node. A function, because the first list in words takes a phone long.
 */
export function useOutageText(policies: readonly Policy[]): () => string {
  const t = useTranslations('opsNow.pulse.outage');
  const { list } = useFormatter();
  return () => {
    const levels = policies.flatMap((policy) => policy.levels);
    const counted = kinds.map((kind) => ({
      kind,
      count: levels.filter(({ onStoreError }) => onStoreError === kind).length,
    }));
    const parts = counted.filter(({ count }) => count > 0).map(({ kind, count }) => t(kind, { count }));
    return t('text', { parts: list(parts) });
  };
}
