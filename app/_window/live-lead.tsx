'use client';

import { lazy, type ReactNode, Suspense } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import { useEnforcedLevels } from './use-enforced-levels';

/** Needed only after an operator has changed a limit. */
const SaleLimits = lazy(() => import('./sale-limits'));

interface Props {
  kind: 'seckill' | 'claim';
  /** The enforced levels when the server wrote the text. */
  rendered: readonly PolicyLevel[];
  /** The text of the server. */
  children: ReactNode;
}

/** Shows the limits of a policy as the server wrote them, until the live feed has other ones. */
export function LiveLead({ kind, rendered, children }: Props) {
  const levels = useEnforcedLevels(`coupon.${kind}`, rendered);
  if (isEqual(levels, rendered)) return children;
  return (
    <Suspense fallback={children}>
      <SaleLimits kind={kind} levels={levels} />
    </Suspense>
  );
}

function isEqual(levels: readonly PolicyLevel[], rendered: readonly PolicyLevel[]): boolean {
  const key = ({ level, algorithm, limit, windowMs }: PolicyLevel) =>
    `${level} ${algorithm} ${limit} ${windowMs}`;
  return levels.map(key).join() === rendered.map(key).join();
}
