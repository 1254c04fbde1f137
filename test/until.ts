import { setTimeout as sleep } from 'node:timers/promises';

type Condition = () => boolean | Promise<boolean>;

interface PollOptions {
  withinMs: number;
  /** The pause between two polls. Default: 20 ms. */
  everyMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Polls a condition. Returns false if it is not met within `withinMs`, and throws when `signal` aborts. */
export async function until(
  isMet: Condition,
  { withinMs, everyMs = 20, signal }: PollOptions,
): Promise<boolean> {
  const latest = performance.now() + withinMs;
  while (!(await isMet())) {
    if (performance.now() > latest) return false;
    await sleep(everyMs, undefined, signal && { signal });
  }
  return true;
}

/** Polls a condition that must be met. After `withinMs` it throws an error that contains `description`. */
export async function eventually(
  isMet: Condition,
  description: string,
  { withinMs = 30_000, ...options }: Partial<PollOptions> = {},
): Promise<void> {
  if (await until(isMet, { withinMs, ...options })) return;
  throw new Error(`${withinMs} ms were not enough until ${description}`);
}
