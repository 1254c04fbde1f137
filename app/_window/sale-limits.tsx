import { useTranslations } from 'next-intl';
import type { PolicyLevel } from '../../server/http/page-requests';
import { formatClaimLimit, formatSaleLimits } from './format-limits';

interface Props {
  kind: 'seckill' | 'claim';
  /** The enforced levels of the policy. */
  levels: readonly PolicyLevel[];
}

/** Describes the limits of grabbing or claiming in a sentence. */
export default function SaleLimits({ kind, levels }: Props) {
  const format = { seckill: formatSaleLimits, claim: formatClaimLimit }[kind];
  return format({ limits: useTranslations('limits'), duration: useTranslations('duration') }, levels);
}
