import { setTimeout as sleep } from 'node:timers/promises';

/** Polls a condition. Returns false if it is not met within `withinMs`, and throws when `signal` aborts. */
export async function until(
  isMet: () => boolean | Promise<boolean>,
  { withinMs, signal }: { withinMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const latest = performance.now() + withinMs;
  while (!(await isMet())) {
    if (performance.now() > latest) return false;
    await sleep(20, undefined, signal && { signal });
  }
  return true;
}
