import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../_components/ui/badge';

/** Whether something is as it is meant to be, in a word, a picture and a colour. */
export function VerdictBadge({ isFine, children }: { isFine: boolean; children: ReactNode }) {
  const Picture = isFine ? CircleCheck : TriangleAlert;
  return (
    <Badge tone={isFine ? 'leaf' : 'ember'}>
      <Picture size={14} aria-hidden="true" />
      {children}
    </Badge>
  );
}
