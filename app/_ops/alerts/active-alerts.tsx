import Link from 'next/link';
import { useFormatter, useLocale, useTranslations } from 'next-intl';
import { type ReactNode, useCallback, useMemo } from 'react';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { Notice } from '../../_components/ui/status';
import { sentenceGap } from '../../_i18n/language';
import { useDurations } from '../../_i18n/use-durations';
import { ClockTime, formatPercent, usePrecise } from '../formats';
import { listFailingChecks } from '../health';
import { usePolicyName } from '../levels';
import type { Alert } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import { AlertCourse } from './alert-course';
import styles from './alerts.module.css';

/**
 * Shows the active alerts, or a note that there are none, which is a warning while a check fails. `isSummary`: shows the most
 * urgent alert in a line and the number of the others, on a page with the checks, which the note does not repeat. `detail`
 * returns a further sentence for an alert. Needs the namespaces `opsActiveAlerts` and `duration`.
 */
export function ActiveAlerts({
  isSummary = false,
  detail,
}: {
  isSummary?: boolean;
  detail?: (alert: Alert) => ReactNode;
}) {
  const t = useTranslations('opsActiveAlerts');
  const alerts = useOpsFeed(({ event }) => event?.alerts.active);
  const lastClearedAt = useOpsFeed(({ event }) => event?.alerts.recent[0]?.clearedAt);
  const gap = sentenceGap(useLocale());
  // A text keeps its identity from one event to the next.
  const failing = useOpsFeed(({ event }) => (event ? listFailingChecks(event).join() : ''));
  return (
    <div className={classNames(layout.stack2, styles.alerts)} role="status">
      {isSummary && alerts && <UrgentAlert alerts={alerts} />}
      {!isSummary &&
        alerts?.map((alert) => <ActiveAlert key={alert.id} alert={alert} detail={detail?.(alert)} />)}
      {!alerts && <Notice>{t('waiting')}</Notice>}
      {alerts?.length === 0 && !failing && (
        <Notice tone="good">
          {t('none')}
          {!isSummary && lastClearedAt !== undefined && (
            <>
              {gap}
              {t.rich('lastCleared', { at: () => <ClockTime at={lastClearedAt} /> })}
            </>
          )}
        </Notice>
      )}
      {alerts?.length === 0 && failing && isSummary && <Notice>{t('none')}</Notice>}
      {alerts?.length === 0 && failing && !isSummary && <FailingChecks checks={failing.split(',')} />}
    </div>
  );
}

/** The checks of `/readyz` with a translation. */
const knownChecks = [
  'redis',
  'postgres',
  'ledger',
  'auditor',
  'redisErrors',
  'redisClock',
  'redisSettings',
] as const;

/** Names the failing checks. A check of a newer server keeps its code name. */
function FailingChecks({ checks }: { checks: readonly string[] }) {
  const t = useTranslations('opsActiveAlerts');
  const { list } = useFormatter();
  const names = checks.map((check) => {
    const known = knownChecks.find((one) => one === check);
    return known ? t(`check.${known}`) : check;
  });
  return (
    <Notice tone="warning">
      {t.rich('noneButFailing', {
        ...{ count: names.length, checks: list(names) },
        link: (text) => (
          <Link prefetch={false} href="/ops">
            {text}
          </Link>
        ),
      })}
    </Notice>
  );
}

/** Shows the most urgent alert, with a link to the others. */
function UrgentAlert({ alerts }: { alerts: readonly Alert[] }) {
  const t = useTranslations('opsActiveAlerts');
  const gap = sentenceGap(useLocale());
  const { title } = useAlertText();
  const alert = alerts.toSorted((one, other) => urgencyOf(one) - urgencyOf(other))[0];
  if (!alert) return null;
  const others = alerts.length - 1;
  return (
    <Notice tone={alert.normalSince === undefined ? 'failed' : 'warning'}>
      <strong>{title(alert)}</strong>
      {gap}
      <Since alert={alert} />
      {others > 0 && (
        <>
          {gap}
          <Link prefetch={false} href="/ops/alerts">
            {t('others', { count: others })}
          </Link>
        </>
      )}
    </Notice>
  );
}

function ActiveAlert({ alert, detail }: { alert: Alert; detail: ReactNode }) {
  const t = useTranslations('opsActiveAlerts');
  const gap = sentenceGap(useLocale());
  const { title, formatValue } = useAlertText();
  const { rule, values, threshold, normalSince } = alert;
  // The value when it fired: a newer one would be announced each second.
  const measured = formatValue(rule, values[0] ?? 0);
  return (
    <Notice tone={normalSince === undefined ? 'failed' : 'warning'}>
      <strong>{title(alert)}</strong>
      {measured && gap + t('measured', { value: measured, threshold: formatValue(rule, threshold) })}
      {gap}
      <Since alert={alert} />
      {detail && gap}
      {detail} {/* It changes each second, which a screen reader would announce. */}
      <span aria-hidden="true">
        <AlertCourse {...{ alert, formatValue }} />
      </span>
    </Notice>
  );
}

/** Says since when an alert is active, or its value normal. */
function Since({ alert: { raisedAt, normalSince } }: { alert: Alert }) {
  const t = useTranslations('opsActiveAlerts');
  return normalSince === undefined
    ? t.rich('since', { at: () => <ClockTime at={raisedAt} to="time" /> })
    : t.rich('back', { at: () => <ClockTime at={normalSince} to="time" /> });
}

/** The rules with a translation, and the unit of each, the most urgent first. */
const units = {
  'store-down': 'yes-or-no',
  'auditor-mismatch': 'yes-or-no',
  'ledger-lag': 'duration',
  'slow-decisions': 'duration',
  'refused-share': 'share',
} as const;

type KnownRule = keyof typeof units;

/** Returns the rank of an alert, the most urgent first. One whose value is normal again comes last. */
function urgencyOf({ rule, normalSince }: Pick<Alert, 'rule' | 'normalSince'>): number {
  return Object.keys(units).indexOf(rule) + (normalSince === undefined ? 0 : Object.keys(units).length);
}

/** The value of `store-down` for a store that is slow; a higher one is a store that does not answer. */
const SLOW = 1;

interface AlertText {
  /** Returns the title of an alert: `Redis is unavailable.`; of one that is back to normal `Redis was unavailable for 25 s.` */
  title(alert: Pick<Alert, 'rule' | 'target' | 'value' | 'values' | 'highSince' | 'normalSince'>): string;
  /** Formats a value or a threshold; '' for rules without a number. */
  formatValue(rule: string, value: number): string;
}

/** Returns formatters of alerts in the page's language. A rule without a translation shows its own name. */
export function useAlertText(): AlertText {
  const t = useTranslations('opsActiveAlerts');
  const { length, wait } = useDurations();
  const precise = usePrecise();
  const { number } = useFormatter();
  const targetName = useTargetName();

  return useMemo(
    () => ({
      title({ rule, target, value, values, highSince, normalSince }) {
        if (!isKnownRule(rule)) return `${rule} ${target}`;
        const name = { target: targetName(target) };
        if (normalSince === undefined)
          return t(`of.${rule === 'store-down' && value === SLOW ? 'store-slow' : rule}`, name);
        const isSlow = rule === 'store-down' && Math.max(...values) === SLOW;
        const time = wait(Math.max(1, Math.round((normalSince - highSince) / 1_000)));
        return t(`was.${isSlow ? 'store-slow' : rule}`, { ...name, time });
      },
      formatValue(rule, value) {
        if (!isKnownRule(rule)) return number(value, { maximumFractionDigits: 2 });
        switch (units[rule]) {
          case 'share':
            return formatPercent(value);
          case 'duration':
            return value > 0 && (value < 1_000 || value % 1_000 === 0)
              ? length(Math.round(value))
              : precise(value);
          case 'yes-or-no':
            return '';
        }
      },
    }),
    [t, length, wait, precise, number, targetName],
  );
}

/** Returns true for a rule that the page's languages name. */
export function isKnownRule(rule: string): rule is KnownRule {
  return Object.hasOwn(units, rule);
}

/** Converts a value to the unit in which pages show it, for a CSV file. */
export function toUnit(rule: string, value: number): { value: number; unit: '%' | 's' | '' } {
  const unit = isKnownRule(rule) ? units[rule] : undefined;
  if (unit === 'share') return { value: Math.round(value * 100), unit: '%' };
  return unit === 'duration' ? { value: value / 1_000, unit: 's' } : { value, unit: '' };
}

/** Returns a function that names the target of an alert: a store or a policy. Needs the namespace `ops`. */
export function useTargetName(): (target: string) => string {
  const policyName = usePolicyName();
  return useCallback(
    (target) => {
      if (target === 'redis') return 'Redis';
      return target === 'postgres' ? 'Postgres' : policyName(target);
    },
    [policyName],
  );
}
