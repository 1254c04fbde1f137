import type { Algorithm } from './algorithm';
import { ExpiringMap } from './expiring-map';
import type { MemoryQueue } from './queue/memory-queue';

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
  input: string;
  /** Epoch ms of the start of the call; only if a leaky bucket delays it. */
  startsAt: number | undefined;
}

/** Everything that a store in memory holds, by the keys that Redis would have. */
export interface Memory {
  states: ExpiringMap<{ algorithm: Algorithm<unknown>; state: unknown }>;
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
