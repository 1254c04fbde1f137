import { useFormatter, useTranslations } from 'next-intl';
import { useDurations } from '../../_i18n/use-durations';
import type { Alert } from '../live/ops-event';

/** The rules that have words, and the unit of what each of them measures. */
const units = {
  'refused-share': 'share',
  'store-down': 'yes-or-no',
  'ledger-lag': 'duration',
  'auditor-mismatch': 'yes-or-no',
} as const;

type Named = keyof typeof units;

interface AlertWords {
  /** What is watched, of anything: `A policy refuses most calls`. */
  ruleName(rule: string): string;
  /** The same of something: `coupon.seckill refuses most calls`. */
  title(alert: Pick<Alert, 'rule' | 'target'>): string;
  /** A value or a threshold in its unit; '' where the title says it all. */
  measure(rule: string, value: number): string;
}

/** Says alerts in the page's language; a rule that nobody has words for by its own name. */
export function useAlertWords(): AlertWords {
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
    measure(rule, value) {
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

/** Stores have names; policies are called as the code does. */
function storeName(target: string): string {
  if (target === 'redis') return 'Redis';
  return target === 'postgres' ? 'Postgres' : target;
}
