'use client';

import { lazy, type ReactNode, Suspense } from 'react';
import { useLiveLevels } from '../_live/live-provider';

/** Needed only after the first event of the live feed. */
const LiveLimits = lazy(async () => ({ default: (await import('./window-parts')).LiveLimits }));

interface Props {
  kind: 'seckill' | 'claim';
  /** The limits as the server wrote them. */
  children: ReactNode;
}

/** Shows the limits of a policy as the server wrote them, then as the live feed has them. */
export function LiveLead({ kind, children }: Props) {
  if (useLiveLevels().length === 0) return children;
  return (
    <Suspense fallback={children}>
      <LiveLimits kind={kind} />
    </Suspense>
  );
}
