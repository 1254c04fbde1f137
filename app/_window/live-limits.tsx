import { useTranslations } from 'next-intl';
import { formatClaimLimit, formatSaleLimits } from './format-limits';
import { useEnforcedLevels } from './use-enforced-levels';

/** Describes the present limits of grabbing or claiming, as the live feed has them, in a sentence. */
export default function LiveLimits({ kind }: { kind: 'seckill' | 'claim' }) {
  const translators = { limits: useTranslations('limits'), duration: useTranslations('duration') };
  const format = { seckill: formatSaleLimits, claim: formatClaimLimit }[kind];
  return format(translators, useEnforcedLevels(`coupon.${kind}`));
}
