import { useTranslations } from 'next-intl';
import { useLanguage } from '../../_i18n/language';
import { formatCount, formatMoney } from '../../_i18n/numbers';
import { useDurations } from '../../_i18n/use-durations';
import { ClockTime } from '../formats';
import type { Level } from '../types';
import { useFormatLimit } from './limit-values';
import styles from './limits.module.css';

/** The numbers that a limit has without the audited change. */
export type UsualLimit = Level['declared'] & Pick<Level, 'algorithm'>;

/** The codes of kinds and states with a translation. */
const codes = ['numbers', 'exempt', 'deny', 'seckill', 'claim', 'refund-due', 'refunded'] as const;

interface FieldValueProps {
  field: string;
  value: unknown;
  /** Shown without a value. */
  missing: string;
  /** All fields of the same side of the entry. */
  of: Record<string, unknown>;
  level: UsualLimit | undefined;
}

/** Formats an audit value: modes and kinds in words, and money, instants and durations by field name. */
export function FieldValue({ field, value, missing, of, level }: FieldValueProps) {
  const language = useLanguage();
  const { length } = useDurations();
  const t = useTranslations('ops.mode');
  const tAudit = useTranslations('opsAudit');
  const formatLimit = useFormatLimit();

  /** Formats a limit with its period, if that is known. */
  function limitText(limit: number): string {
    const windowMs = typeof of.windowMs === 'number' ? of.windowMs : level?.windowMs;
    return windowMs === undefined
      ? formatCount(limit)
      : formatLimit({ limit, windowMs }, level?.algorithm ?? '');
  }

  if (value === undefined || value === null) {
    if (!level || (field !== 'limit' && field !== 'windowMs')) {
      return <em className={styles.auditMissing}>{missing}</em>;
    }
    const usual = field === 'limit' ? limitText(level.limit) : length(level.windowMs);
    return tAudit('usual', { value: usual });
  }
  if (typeof value === 'boolean') return tAudit(value ? 'yes' : 'no');
  if (value === 'enforce' || value === 'shadow' || value === 'off' || value === 'block') return t(value);
  if (typeof value === 'number') {
    if (field === 'priceCents' && value === 0) return tAudit('value.free');
    if (field.endsWith('Cents')) return formatMoney(value);
    if (field.endsWith('Ms')) return length(value);
    if (field.endsWith('At') || field === 'bannedUntil') return <ClockTime at={value} to="minute" />;
    return field === 'limit' ? limitText(value) : formatCount(value);
  }
  if (field === 'subject') return <code className={styles.auditSubject}>{String(value)}</code>;
  if (typeof value === 'string') {
    const code = codes.find((one) => one === value);
    return code ? tAudit(`value.${code}`) : value;
  }
  if (isLocalized(value)) return value[language];
  return JSON.stringify(value);
}

function isLocalized(value: unknown): value is { en: string; zh: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'en' in value &&
    'zh' in value &&
    typeof value.en === 'string' &&
    typeof value.zh === 'string'
  );
}
