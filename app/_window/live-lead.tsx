'use client';

import type { ReactNode } from 'react';
import { useLiveLevels } from '../_live/live-provider';
import { LiveLimits } from './live-limits';

interface Props {
  kind: 'seckill' | 'claim';
  /** The limits as the server wrote them. */
  children: ReactNode;
}

/** Shows the limits of a policy as the server wrote them, then as the live feed has them. */
export function LiveLead({ kind, children }: Props) {
  if (useLiveLevels().length === 0) return children;
  return <LiveLimits kind={kind} />;
}
