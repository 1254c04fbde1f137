import { useTranslations } from 'next-intl';
import { VerdictBadge } from './verdict-badge';

/** Count of the fullest window, compared with the limit. */
export function LimitBadge({ count, limit }: { count: number; limit: number }) {
  const t = useTranslations('lab.verdict');
  const isOver = count > limit;
  return <VerdictBadge isOk={!isOver}>{t(isOver ? 'over' : 'within', { count, limit })}</VerdictBadge>;
}
