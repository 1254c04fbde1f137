import { useFormatter, useTranslations } from 'next-intl';
import { useDurations } from '../../_i18n/use-durations';
import type { Alert } from '../live/ops-event';

/** The rules with a translation, and the unit of each. */
const units = {
  'refused-share': 'share',
  'store-down': 'yes-or-no',
  'ledger-lag': 'duration',
  'auditor-mismatch': 'yes-or-no',
} as const;

type Named = keyof typeof units;

interface AlertText {
  /** Returns the name of a rule: `A store does not respond`. */
  ruleName(rule: string): string;
  /** Returns the title of an alert: `Redis does not respond.` */
  title(alert: Pick<Alert, 'rule' | 'target'>): string;
  /** Formats a value or a threshold; '' for rules without a number. */
  formatValue(rule: string, value: number): string;
}

/** Returns formatters of alerts in the page's language. A rule without a translation shows its own name. */
export function useAlertText(): AlertText {
  const t = useTranslations('opsAlerts');
  const { number } = useFormatter();
  const { length, precise } = useDurations();
  const named = (rule: string): Named | undefined => (isNamed(rule) ? rule : undefined);

  return {
    ruleName(rule) {
      const name = named(rule);
      return name ? t(`rule.${name}`) : rule;
    },
    title({ rule, target }) {
      const name = named(rule);
      return name ? t(`of.${name}`, { target: storeName(target) }) : `${rule} ${target}`;
    },
    formatValue(rule, value) {
      const name = named(rule);
      if (!name) return number(value);
      switch (units[name]) {
        case 'share':
          return number(value, { style: 'percent', maximumFractionDigits: 0 });
        case 'duration':
          return value % 1_000 === 0 ? length(value) : precise(value);
        case 'yes-or-no':
          return '';
      }
    },
  };
}

function isNamed(rule: string): rule is Named {
  return Object.hasOwn(units, rule);
}

/** Returns the product name of a store. Policies keep their code name. */
function storeName(target: string): string {
  if (target === 'redis') return 'Redis';
  return target === 'postgres' ? 'Postgres' : target;
}
