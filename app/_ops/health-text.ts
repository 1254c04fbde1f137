import { useLocale, useTranslations } from 'next-intl';
import { sentenceGap } from '../_i18n/language';
import type { Health } from './live/ops-event';

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
  const unchecked = Number(values.audited ?? 0) - Number(values.consistent ?? 0);
  const minutes = Math.floor(Number(values.seconds ?? 0) / 60);
  return { ...noValues, ...values, unchecked, minutes };
}

/** Returns whether a check found something that the servers repair without a person. */
export function isRepairing({ findings }: Health): boolean {
  return findings?.some(({ code }) => code === 'repairing') ?? false;
}

/** Returns whether a check found nothing in time, as in a flood, where replies wait in the event loop of the node. */
export function isSlow({ findings }: Health): boolean {
  return findings?.some(({ code }) => code === 'slow') ?? false;
}

/** Returns whether a check has no result yet. */
export function isUnchecked({ findings }: Health): boolean {
  return findings?.some(({ code }) => code === 'not-checked-yet' || code === 'no-audit-yet') ?? false;
}
