import type { Level, ResolvedLevel, ResolvedPolicy } from './policy';
import { createReject, formatValue } from './validate-policy';

/**
 * Returns a level whose window several policies charge: `const shop = shared('shop', { level: 'global', … })`, which is then
 * one of the `levels` of each policy. The name is unique among shared levels. Adding it to a policy empties the windows
 * of that policy, because all keys of a shared level have one hash tag.
 */
export function shared<Context>(name: string, level: Omit<Level<Context>, 'shared'>): Level<Context> {
  return { ...level, shared: name };
}

/** The fields that define the window, and the subjects that it counts. */
const COMMON_FIELDS = ['level', 'by', 'algorithm', 'limit', 'windowMs', 'subWindows', 'mode'] as const;

/**
 * Creates the check of policies that belong together: a shared level has the same window in all of them. It throws a
 * `PolicyError` for the policy that declares another one than a policy before it.
 */
export function createSharedLevelCheck(): (policy: ResolvedPolicy) => void {
  const declared = new Map<string, { policy: string; level: ResolvedLevel }>();

  return function checkSharedLevels({ name, levels }) {
    for (const [index, level] of levels.entries()) {
      if (level.shared === undefined) continue;
      const first = declared.get(level.shared);
      if (!first) declared.set(level.shared, { policy: name, level });
      for (const field of first ? COMMON_FIELDS : []) {
        const common = first?.level[field];
        if (level[field] === common) continue;
        const fix = `It is ${formatValue(common)} in "${first?.policy}", and both charge one window. Declare it once: const level = shared("${level.shared}", { … }).`;
        createReject(name)(`levels[${index}].${field}`, level[field], fix);
      }
    }
  };
}

/** The names of the shared levels that a settling policy of this process charges. */
const settledLevels = new Set<string>();

/** Registers the shared level of a settling policy, because its other policies cannot cache its denials either. */
export function registerSettled({ settle, levels }: ResolvedPolicy): void {
  for (const { shared } of settle ? levels : []) if (shared !== undefined) settledLevels.add(shared);
}

/** Returns true if settled calls may return units of a level with this `shared`, so that its denials may end at any time. */
export function isSettled({ settle }: ResolvedPolicy, shared: string | undefined): boolean {
  return settle !== undefined || (shared !== undefined && settledLevels.has(shared));
}
