import { setTimeout as sleep } from 'node:timers/promises';

type Condition = () => boolean | Promise<boolean>;

/** Polls a condition. Returns false if it is not met within `withinMs`, and throws when `signal` aborts. */
export async function until(
  isMet: Condition,
  { withinMs, signal }: { withinMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const latest = performance.now() + withinMs;
  while (!(await isMet())) {
    if (performance.now() > latest) return false;
    await sleep(20, undefined, signal && { signal });
  }
  return true;
}

/** Polls a condition that must be met. After `withinMs` it throws an error that contains `description`. */
export async function eventually(
  isMet: Condition,
  description: string,
  { withinMs = 30_000, signal }: { withinMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  if (await until(isMet, { withinMs, signal })) return;
  throw new Error(`${withinMs} ms were not enough until ${description}`);
}
