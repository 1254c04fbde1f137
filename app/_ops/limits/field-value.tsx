import { useLocale } from 'next-intl';
import { formatMoney } from '../../_i18n/money';
import { useDurations } from '../../_i18n/use-durations';
import { ClockTime } from '../clock-time';

interface Props {
  field: string;
  value: unknown;
  /** Shown without a value. */
  missing: string;
}

/** Formats an audit value: money, instants and durations by field name. */
export function FieldValue({ field, value, missing }: Props) {
  const language = useLocale() === 'zh' ? 'zh' : 'en';
  const { length } = useDurations();
  if (value === undefined || value === null) return <em>{missing}</em>;
  if (typeof value === 'number') {
    if (field.endsWith('Cents')) return formatMoney(value, language);
    if (field.endsWith('Ms')) return length(value);
    if (field.endsWith('At')) return <ClockTime at={value} to="minute" />;
  }
  if (typeof value === 'string' || typeof value === 'number') return String(value);
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
