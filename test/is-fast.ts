/** The maximum number of runs, of which the fastest counts: garbage collection or the JIT may slow a run down. */
const MAX_ATTEMPTS = 30;

/** Returns true if a synchronous run takes less than `limitMs` of CPU time. Waiting for a busy CPU does not count. */
export function isFast(run: () => unknown, { limitMs }: { limitMs: number }): boolean {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    if (user + system < limitMs * 1_000) return true;
  }
  return false;
}
