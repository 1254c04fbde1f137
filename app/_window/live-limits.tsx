import { useTranslations } from 'next-intl';
import type { PolicyLevel } from '../../server/http/page-requests';
import { formatClaimLimit, formatSaleLimits } from './format-limits';
import { useEnforcedLevels } from './use-enforced-levels';

/** Describes the present limits of grabbing or claiming, as the live feed has them, in a sentence. */
export function LiveLimits({
  kind,
  rendered,
}: {
  kind: 'seckill' | 'claim';
  /** The limits when the server rendered the page, shown before the first event. Default: none. */
  rendered?: readonly PolicyLevel[];
}) {
  const translators = { limits: useTranslations('limits'), duration: useTranslations('duration') };
  const format = { seckill: formatSaleLimits, claim: formatClaimLimit }[kind];
  return format(translators, useEnforcedLevels(`coupon.${kind}`, rendered));
}
