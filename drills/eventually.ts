import { setTimeout as sleep } from 'node:timers/promises';

/** Polls a condition that a fault needs. After `withinMs` it throws an error that contains `description`. */
export async function eventually(
  isMet: () => boolean | Promise<boolean>,
  description: string,
  withinMs = 30_000,
): Promise<void> {
  const latest = performance.now() + withinMs;
  while (!(await isMet())) {
    if (performance.now() > latest) throw new Error(`${withinMs} ms were not enough until ${description}`);
    await sleep(20);
  }
}
