import type { Numbers } from './algorithm';
import { bucket } from './bucket';
import type { Generation, Memory } from './memory';
import type { MemoryLevel } from './policy-args';
import { slidingLog } from './sliding-log';

/** A level of one call. */
type CalledLevel = MemoryLevel & { numbers: Numbers };

/** The longest lease of a reservation. */
const MAX_LEASE_MS = 60 * 60 * 1000;

/** Returns the numbers that end a generation when they change; '' for a log. */
function numbersOf({ algorithm, numbers: { limit, windowMs }, hasOwnNumbers }: CalledLevel): string {
  if (algorithm === slidingLog) return '';
  return `${hasOwnNumbers && algorithm !== bucket ? '*' : limit} ${windowMs}`;
}

/**
 * Returns the id of the generation of a level that a call is about to charge; `undefined` without one. Begins a generation if
 * the numbers have changed. Like lua/limiter/settle.lua.
 */
export function joinGeneration(
  { generations }: Memory,
  level: CalledLevel,
  { key, newId, endsAt, reserveMs }: { key: string; newId: string; endsAt: number; reserveMs: number },
): string | undefined {
  const former = generations.get(key);
  if (level.algorithm === slidingLog && !level.isShared) return former?.id;
  const numbers = numbersOf(level);
  const isSame = former?.numbers === numbers;
  if (isSame && former.reservedUntil >= endsAt) return former.id;
  const id = isSame ? former.id : newId;
  const reservedUntil = Math.max(former?.reservedUntil ?? 0, endsAt + reserveMs);
  generations.set(key, { id, reservedUntil, numbers }, Math.max(generations.ttlOf(key), 2 * reserveMs));
  return id;
}

/** Returns true if a level still has the generation of a charge. */
export function hasGeneration(level: CalledLevel, present: Generation | undefined, id?: string): boolean {
  return !present || (present.id === id && present.numbers === numbersOf(level));
}

/** Empties the window of one subject at one level, and ends its generation. Returns the number of deleted windows. */
export function clearWindow(
  { states, generations }: Memory,
  {
    keys: [key = '', generationKey = ''],
    args: [id = ''],
  }: { keys: readonly string[]; args: readonly string[] },
): number {
  generations.set(generationKey, { id, reservedUntil: 0, numbers: '' }, MAX_LEASE_MS);
  return Number(states.delete(key));
}
