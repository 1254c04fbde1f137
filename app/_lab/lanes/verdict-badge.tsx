import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../../_components/ui/badge';

/** A verdict in words, with an icon and a colour. */
export function VerdictBadge({ isOk, children }: { isOk: boolean; children: ReactNode }) {
  const Icon = isOk ? CircleCheck : TriangleAlert;
  return (
    <Badge tone={isOk ? 'leaf' : 'ember'}>
      <Icon size={14} aria-hidden="true" />
      {children}
    </Badge>
  );
}
