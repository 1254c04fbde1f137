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
import styles from './alerts.module.css';

/**
 * Shows the active alerts, or a note that there are none, which is a warning while a check fails. `hasHealth`: the page
 * shows the checks, too, so the note does not repeat them. `detail` returns a further sentence for an alert. Needs the
 * namespaces `opsActiveAlerts` and `duration`.
 */
export function ActiveAlerts({
  hasHealth = false,
  detail,
}: {
  hasHealth?: boolean;
  detail?: (alert: Alert) => ReactNode;
}) {
  const t = useTranslations('opsActiveAlerts');
  const alerts = useOpsFeed(({ event }) => event?.alerts.active);
  // A text keeps its identity from one event to the next.
  const failing = useOpsFeed(({ event }) => (event ? listFailingChecks(event).join() : ''));
  return (
    <div className={classNames(layout.stack2, styles.alerts)} role="status">
      {alerts?.map((alert) => (
        <ActiveAlert key={alert.id} alert={alert} detail={detail?.(alert)} />
      ))}
      {!alerts && <Notice>{t('waiting')}</Notice>}
      {alerts?.length === 0 && !failing && <Notice tone="good">{t('none')}</Notice>}
      {alerts?.length === 0 && failing && hasHealth && <Notice>{t('none')}</Notice>}
      {alerts?.length === 0 && failing && !hasHealth && <FailingChecks checks={failing.split(',')} />}
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

function ActiveAlert({ alert, detail }: { alert: Alert; detail: ReactNode }) {
  const t = useTranslations('opsActiveAlerts');
  const gap = sentenceGap(useLocale());
  const { title, formatValue } = useAlertText();
  const { rule, value, threshold, raisedAt } = alert;
  const measured = formatValue(rule, value);
  return (
    <Notice tone="failed">
      <strong>{title(alert)}</strong>
      {measured && gap + t('measured', { value: measured, threshold: formatValue(rule, threshold) })}
      {gap}
      {t.rich('since', { at: () => <ClockTime at={raisedAt} /> })}
      {detail && gap}
      {detail}
    </Notice>
  );
}

/** The rules with a translation, and the unit of each. */
const units = {
  'refused-share': 'share',
  'store-down': 'yes-or-no',
  'slow-decisions': 'duration',
  'ledger-lag': 'duration',
  'auditor-mismatch': 'yes-or-no',
} as const;

type KnownRule = keyof typeof units;

interface AlertText {
  /** Returns the title of an alert: `Redis is unavailable.` */
  title(alert: Pick<Alert, 'rule' | 'target'>): string;
  /** Formats a value or a threshold; '' for rules without a number. */
  formatValue(rule: string, value: number): string;
}

/** Returns formatters of alerts in the page's language. A rule without a translation shows its own name. */
export function useAlertText(): AlertText {
  const t = useTranslations('opsActiveAlerts');
  const { length } = useDurations();
  const precise = usePrecise();
  const { number } = useFormatter();
  const targetName = useTargetName();

  return useMemo(
    () => ({
      title({ rule, target }) {
        return isKnownRule(rule) ? t(`of.${rule}`, { target: targetName(target) }) : `${rule} ${target}`;
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
    [t, length, precise, number, targetName],
  );
}

/** Returns true for a rule that the page's languages name. */
export function isKnownRule(rule: string): rule is KnownRule {
  return Object.hasOwn(units, rule);
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
