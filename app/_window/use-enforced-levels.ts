import { useMemo } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import { useLiveLevels } from '../_live/live-provider';

/**
 * Returns the levels of a policy that refuse calls now, with the limits of the live feed; those that the server rendered
 * before the first event.
 */
export function useEnforcedLevels(
  policy: string,
  rendered: readonly PolicyLevel[] = none,
): readonly PolicyLevel[] {
  const levels = useLiveLevels();
  return useMemo(() => {
    if (levels.length === 0) return rendered;
    return levels.filter((level) => level.policy === policy && level.mode === 'enforce');
  }, [levels, policy, rendered]);
}

const none: readonly PolicyLevel[] = [];
