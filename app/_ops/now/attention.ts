import { levelKey } from '../../_live/level-key';
import { isEnforced } from '../../_window/window-count';
import type { OpsEvent } from '../live/ops-event';
import type { Level, Policy } from '../types';

/** Returns the `levelKey`s of levels that are off, in shadow, overridden, or alerting. */
export function listAttention(
  policies: readonly Policy[],
  event: Pick<OpsEvent, 'windows' | 'alerts'> | undefined,
): string[] {
  return policies.flatMap(({ policy, levels }) =>
    levels
      .filter((level) => {
        const window = event?.windows.find((one) => one.policy === policy && one.level === level.level);
        const { mode } = window ?? level;
        return mode !== 'enforce' || isOverridden(level, window) || isAlerting(policy, event);
      })
      .map(({ level }) => levelKey({ policy, level })),
  );
}

/** Returns the `levelKey`s of enforced levels whose windows are full: they refuse the next call of that caller. */
export function listFull(windows: OpsEvent['windows'] = []): string[] {
  return windows.filter((window) => isEnforced(window) && window.used >= window.limit).map(levelKey);
}

/** Returns true if an alert names the policy. */
export function isAlerting(policy: string, event: Pick<OpsEvent, 'alerts'> | undefined): boolean {
  return event?.alerts.active.some(({ target }) => target === policy) ?? false;
}

/** Returns true if the effective limit differs from the declared one. `window` is newer than the level. */
export function isOverridden(
  { declared, effective }: Pick<Level, 'declared' | 'effective'>,
  window: { limit: number; windowMs: number } | undefined,
): boolean {
  const { limit, windowMs } = window ?? effective;
  return limit !== declared.limit || windowMs !== declared.windowMs;
}
