/** A run on a busy machine may meet a collection of garbage or the compiler, so the fastest of at most this many counts. */
const MAX_ATTEMPTS = 30;

/** Whether a synchronous run takes less than `limitMs` of CPU time. Waiting for a busy CPU is not counted. */
export function isFast(run: () => unknown, { limitMs }: { limitMs: number }): boolean {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    if (user + system < limitMs * 1_000) return true;
  }
  return false;
}
