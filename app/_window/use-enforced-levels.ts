import { useMemo } from 'react';
import type { PolicyLevel } from '../../server/http/page-requests';
import { useLiveLevels } from '../_live/live-provider';
import { useOwnWindows } from './use-own-windows';

const noLevels: readonly never[] = [];

/**
 * Returns the levels of a policy that refuse calls now, with the limits of the live feed, or of this visitor alone; those of
 * `rendered` before the first event.
 */
export function useEnforcedLevels(
  policy: string,
  rendered: readonly PolicyLevel[] = noLevels,
): readonly PolicyLevel[] {
  const levels = useLiveLevels();
  const { windows } = useOwnWindows();
  return useMemo(() => {
    if (levels.length === 0) return rendered;
    return levels
      .filter((level) => level.policy === policy)
      .map((level) => {
        const own = windows.find((one) => one.policy === policy && one.level === level.level);
        if (!own?.personal) return level;
        return { ...level, limit: own.limit, windowMs: own.windowMs, mode: own.mode, isPersonal: true };
      })
      .filter(({ mode }) => mode === 'enforce' || mode === 'block');
  }, [levels, policy, windows, rendered]);
}
