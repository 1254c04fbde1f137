import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something is so; false where it is not within the time. Throws when the run has to end early. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  { withinMs, signal }: { withinMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const latest = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > latest) return false;
    await sleep(20, undefined, signal && { signal });
  }
  return true;
}
