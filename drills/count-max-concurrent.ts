/** Returns the greatest number of periods that have an instant in common. A period contains its start, but not its end. */
export function countMaxConcurrent(periods: readonly { from: number; until: number }[]): number {
  const changes = periods
    .filter(({ from, until }) => from < until)
    .flatMap(({ from, until }) => [
      { at: from, change: 1 },
      { at: until, change: -1 },
    ])
    .sort((one, other) => one.at - other.at || one.change - other.change);
  let now = 0;
  let most = 0;
  for (const { change } of changes) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}
