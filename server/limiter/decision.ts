import type { Algorithm, Mode } from './policy';

/** One level as a decision found it, after the charge if there was one. */
export interface LevelState {
  level: string;
  algorithm: Algorithm;
  limit: number;
  windowMs: number;
  /** Units in the window. */
  used: number;
  /** Units that would be admitted now; never below 0. */
  remaining: number;
  /** 0 where a unit fits now. Else: nothing else happening, 1 ms earlier it refuses and then it admits. */
  retryAfterMs: number;
  /** Time until the oldest unit returns; 0 where none is out. */
  resetMs: number;
  /** Only where the level punishes. */
  punished?: Punished;
}

/** How a punishing level stands to its subject. */
export interface Punished {
  /** Refusals that have not lapsed. */
  violations: number;
  /** Whether the next violations lead to a ban. */
  warning: boolean;
  /** Epoch ms by the store's clock; null where no ban stands. */
  bannedUntil: number | null;
}

/** A level with the hits in its window, for display: nothing in it but `retryAfterMs` changes by time alone. */
export interface Window extends Omit<LevelState, 'resetMs' | 'punished'> {
  policy: string;
  /** Epoch ms by the store's clock, the newest 200, oldest first. Only a sliding log knows them. */
  hits: number[];
  mode: Mode;
  /** Epoch ms; only while a ban stands. */
  bannedUntil?: number;
}

/** What became of one call. Denied is a value; a store that does not answer is a `StoreUnavailableError`. */
export type Decision = Admitted | Refused;

interface Decided {
  policy: string;
  /** Epoch ms by the store's clock; by this node's where `degraded`. */
  now: number;
  /** The levels that bind, in checking order; of a refusal that was known without the store, the refusing one alone. */
  levels: readonly LevelState[];
  /** Names of the shadow levels that would have refused. */
  shadowRefusals: readonly string[];
  /** The store did not answer and the policy is open (no level is known then) or local. */
  degraded: boolean;
}

export interface Admitted extends Decided {
  allowed: true;
  /** The request id had been charged before: this call was not. */
  replayed: boolean;
  /** The request id had been charged with another input. Only inside the limiter, whose `decide` throws then. */
  hasOtherInput?: boolean;
  /** How long the call has to wait for its turn in a leaky bucket; else 0. */
  delayMs: number;
}

export interface Refused extends Decided {
  allowed: false;
  reason: 'limited' | 'banned';
  /** The first level in checking order that refuses. */
  refusedBy: LevelState;
}
