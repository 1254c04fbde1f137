import type { PolicyCall, ResolvedPolicy } from './policy';

/** Returns the indexes of the levels whose condition (`when`) excludes them from a call. */
export function excludedLevels<Context>(
  { levels }: ResolvedPolicy<Context>,
  call: PolicyCall<Context>,
): readonly number[] {
  if (!levels.some(({ when }) => when)) return NONE;
  return levels.flatMap(({ when }, index) => (when && !when(call) ? [index] : []));
}

const NONE: readonly number[] = [];
