import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Badge } from '../../_components/ui/status';

/** A verdict in words, with an icon and a colour. */
export function VerdictBadge({ isOk, children }: { isOk: boolean; children: ReactNode }) {
  const Icon = isOk ? CircleCheck : TriangleAlert;
  return (
    <Badge tone={isOk ? 'good' : 'fail'}>
      <Icon size={14} aria-hidden="true" />
      {children}
    </Badge>
  );
}

/** Count of the fullest window, compared with the limit. */
export function LimitBadge({ count, limit }: { count: number; limit: number }) {
  const t = useTranslations('lab.verdict');
  const isOver = count > limit;
  return <VerdictBadge isOk={!isOver}>{t(isOver ? 'over' : 'within', { count, limit })}</VerdictBadge>;
}
