import { useMemo } from 'react';
import type { LiveLevel } from '../_live/live-feed';
import { useLiveLevels } from '../_live/live-provider';
import { useOwnWindows } from './use-own-windows';

/**
 * Returns the levels of a policy that refuse calls now, with the limits of the live feed, or of this visitor alone; none
 * before the first event.
 */
export function useEnforcedLevels(policy: string): readonly LiveLevel[] {
  const levels = useLiveLevels();
  const { windows } = useOwnWindows();
  return useMemo(
    () =>
      levels
        .filter((level) => level.policy === policy)
        .map((level) => {
          const own = windows.find((one) => one.policy === policy && one.level === level.level);
          return own?.personal
            ? { ...level, limit: own.limit, windowMs: own.windowMs, mode: own.mode }
            : level;
        })
        .filter(({ mode }) => mode === 'enforce'),
    [levels, policy, windows],
  );
}
