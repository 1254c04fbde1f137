import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something is so that a fault needs. Throws, in these words, where it does not come to be. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 30_000,
): Promise<void> {
  const latest = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > latest) throw new Error(`${withinMs} ms were not enough until ${what}`);
    await sleep(20);
  }
}
