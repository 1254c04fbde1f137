import { StoreReplyError } from '../store-error';
import type { Algorithm, Written } from './algorithm';
import type { Memory } from './memory';

/** Returns the state of a level, or `undefined` if it has none. Throws a `StoreReplyError` for one of another algorithm. */
export function readState(
  memory: Memory,
  { key, algorithm }: { key: string; algorithm: Algorithm<unknown> },
) {
  const stored = memory.states.get(key);
  if (stored && stored.algorithm !== algorithm)
    throw new StoreReplyError(`ERR ${key} has the state of another algorithm`);
  return stored?.state;
}

/** Writes the state of a level; without `ttlMs` it keeps its expiry. `undefined` deletes it. */
export function writeState(
  memory: Memory,
  { key, algorithm }: { key: string; algorithm: Algorithm<unknown> },
  written: (Pick<Written<unknown>, 'state'> & { ttlMs?: number }) | undefined,
): void {
  if (written?.state === undefined) memory.states.delete(key);
  else memory.states.set(key, { algorithm, state: written.state }, written.ttlMs);
}
