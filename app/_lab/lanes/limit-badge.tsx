import { useTranslations } from 'next-intl';
import { VerdictBadge } from './verdict-badge';

/** What the fullest window holds against the limit. */
export function LimitBadge({ count, limit }: { count: number; limit: number }) {
  const t = useTranslations('lab.verdict');
  const isOver = count > limit;
  return <VerdictBadge isFine={!isOver}>{t(isOver ? 'over' : 'within', { count, limit })}</VerdictBadge>;
}
