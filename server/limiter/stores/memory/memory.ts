import type { StateAlgorithm, Written } from '../../algorithms/algorithm';
import { bucket } from '../../algorithms/bucket';
import { fixedWindow } from '../../algorithms/fixed-window';
import { inFlight } from '../../algorithms/in-flight';
import { slidingCounter } from '../../algorithms/sliding-counter';
import { slidingLog } from '../../algorithms/sliding-log';
import type { LevelAlgorithm } from '../../policy/policy';
import { StoreReplyError } from '../store-error';
import type { MemoryQueue } from './queue-state';

/** The algorithms of levels. */
export const algorithms: Readonly<Record<LevelAlgorithm, StateAlgorithm<unknown>>> = {
  'sliding-log': slidingLog,
  'sliding-counter': slidingCounter,
  'fixed-window': fixedWindow,
  'token-bucket': bucket,
  'leaky-bucket': bucket,
  'in-flight': inFlight,
};

/** The violations of a subject at a level, and its ban. */
export interface Punishment {
  violations: number;
  /** Epoch ms of the last violation. */
  lastMs: number;
  /** Epoch ms; 0 without a ban. */
  bannedUntil: number;
}

/** The units of a call that may be settled. */
export interface Reservation {
  endsAt: number;
  cost: number;
  /** Of each level, the instant of the charge, 0 if it was not charged, and the id of its generation, if it has one. */
  charges: readonly { at: number; generation: string | undefined }[];
}

/** The generation of a window; see lua/limiter/settle.lua. */
export interface Generation {
  id: string;
  /** An instant after the end of all its reservations. */
  reservedUntil: number;
  /** The numbers that end it when they change. */
  numbers: string;
}

/** A charged request id. */
export interface ChargedId {
  /** The fingerprint of its input. */
  input: number;
  /** Epoch ms of the start of the call; only if a leaky bucket delays it. */
  startsAt: number | undefined;
}

/** Everything that a store in memory holds, by the keys that Redis would have. */
export interface Memory {
  states: ExpiringMap<{ algorithm: StateAlgorithm<unknown>; state: unknown }>;
  punishments: ExpiringMap<Punishment>;
  /** The ends of bans by member. */
  bans: ExpiringMap<ReadonlyMap<string, number>>;
  requestIds: ExpiringMap<ChargedId>;
  reservations: ExpiringMap<Reservation>;
  generations: ExpiringMap<Generation>;
  /** By the key of their waiting tickets. */
  queues: ExpiringMap<MemoryQueue>;
}

/** Creates an empty memory that expires by a clock in epoch ms. */
export function createMemory(clock: () => number): Memory {
  return {
    states: new ExpiringMap(clock),
    punishments: new ExpiringMap(clock),
    bans: new ExpiringMap(clock),
    requestIds: new ExpiringMap(clock),
    reservations: new ExpiringMap(clock),
    generations: new ExpiringMap(clock),
    queues: new ExpiringMap(clock),
  };
}

/** Returns the state of a level, or `undefined` if it has none. Throws a `StoreReplyError` for one of another algorithm. */
export function readState(
  memory: Memory,
  { key, algorithm }: { key: string; algorithm: StateAlgorithm<unknown> },
) {
  const stored = memory.states.get(key);
  if (stored && stored.algorithm !== algorithm)
    throw new StoreReplyError(`ERR ${key} has the state of another algorithm`);
  return stored?.state;
}

/** Writes the state of a level; without `ttlMs` it keeps its expiry. `undefined` deletes it. */
export function writeState(
  memory: Memory,
  { key, algorithm }: { key: string; algorithm: StateAlgorithm<unknown> },
  written: (Pick<Written<unknown>, 'state'> & { ttlMs?: number }) | undefined,
): void {
  if (written?.state === undefined) memory.states.delete(key);
  else memory.states.set(key, { algorithm, state: written.state }, written.ttlMs);
}

/** Values stay 60 s longer than needed, because the clock of a caller may be slower. The values themselves decide. */
const EXPIRY_SLACK_MS = 60_000;

/** The smallest number of values at which expired ones are searched. */
const MIN_SWEPT = 1_024;

/** Values by key that expire by a clock in epoch ms. */
class ExpiringMap<Value> {
  readonly #clock: () => number;
  readonly #entries = new Map<string, { value: Value; expiresAt: number }>();
  #sweepAt = MIN_SWEPT;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.expiresAt > this.#clock() ? entry.value : undefined;
  }

  /** Lists the keys at this moment. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }

  /** Returns how long the value of a key is needed; 0 without one. */
  ttlOf(key: string): number {
    const { expiresAt = 0 } = this.#entries.get(key) ?? {};
    return Math.max(0, expiresAt - EXPIRY_SLACK_MS - this.#clock());
  }

  /** Sets a value that is needed for `ttlMs`. Without, the value keeps the expiry of the former. */
  set(key: string, value: Value, ttlMs?: number): void {
    const former = this.#entries.get(key);
    if (ttlMs === undefined && former) former.value = value;
    else this.#entries.set(key, { value, expiresAt: this.#clock() + (ttlMs ?? 0) + EXPIRY_SLACK_MS });
    if (this.#entries.size >= this.#sweepAt) this.#sweep();
  }

  /** Returns false if there is no such value. */
  delete(key: string): boolean {
    const isThere = this.get(key) !== undefined;
    this.#entries.delete(key);
    return isThere;
  }

  /** Deletes expired values. The next sweep is at twice the size, so a write costs the same whatever the size is. */
  #sweep(): void {
    const now = this.#clock();
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.#entries.delete(key);
    this.#sweepAt = Math.max(MIN_SWEPT, 2 * this.#entries.size);
  }
}
