import type { KeyLook } from './key-look';

/** How the calls that race each other decide. */
export const raceVariants = ['four-commands', 'timestamp-member', 'product'] as const;
export type RaceVariant = (typeof raceVariants)[number];

export interface RaceOrder {
  limit: number;
  windowMs: number;
  /** How many calls at once. */
  concurrency: number;
  variant: RaceVariant;
  signal?: AbortSignal | undefined;
}

export interface Race {
  variant: RaceVariant;
  limit: number;
  concurrency: number;
  admitted: number;
  refused: number;
  /** How many hits the log holds when all have been decided. */
  logged: number;
  /** Round trips that each call made to Redis. */
  roundTrips: number;
  durationMs: number;
  keys: KeyLook[];
}
