import { useMemo } from 'react';
import type { LiveLevel } from '../_live/live-feed';
import { useLiveLevels } from '../_live/live-provider';

/** Returns the levels of a policy that refuse calls now, with the limits of the live feed; none before the first event. */
export function useEnforcedLevels(policy: string): readonly LiveLevel[] {
  const levels = useLiveLevels();
  return useMemo(
    () => levels.filter((level) => level.policy === policy && level.mode === 'enforce'),
    [levels, policy],
  );
}
