import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { Badge } from '../../_components/ui/badge';

/** What the fullest window holds against the limit, in figures, a word, a picture and a colour. */
export function LimitBadge({ count, limit }: { count: number; limit: number }) {
  const t = useTranslations('lab.verdict');
  const isOver = count > limit;
  const Picture = isOver ? TriangleAlert : CircleCheck;
  return (
    <Badge tone={isOver ? 'ember' : 'leaf'}>
      <Picture size={14} aria-hidden="true" />
      {t(isOver ? 'over' : 'within', { count, limit })}
    </Badge>
  );
}
