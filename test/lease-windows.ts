/** Returns the most instants in any window `(t − windowMs, t]`. */
export function maxInWindow(instants: readonly number[], windowMs: number): number {
  const sorted = instants.toSorted((one, other) => one - other);
  let start = 0;
  let most = 0;
  for (const [index, instant] of sorted.entries()) {
    while ((sorted[start] ?? instant) <= instant - windowMs) start += 1;
    most = Math.max(most, index - start + 1);
  }
  return most;
}
