import type { RefusalData } from '../../_trpc/types';

/** The numbers of the button's policy. A test compares them with the policy. */
export const ladderPolicy = {
  limit: 3,
  windowMs: 10_000,
  warnAt: 2,
  banAt: 4,
  banMs: 20_000,
  lapseMs: 15_000,
} as const;

/** The numbers of a tutorial. A test compares them with the server. */
export const tutorialPolicy = { limit: 5, windowMs: 60_000, warnAt: 3, banAt: 5, banMs: 1_800_000 } as const;

/** The numbers of the section: the clicks of a visitor, or ten calls with the numbers of a tutorial. The first is the default. */
export const ladderModes = ['clicks', 'tutorial'] as const;
export type LadderMode = (typeof ladderModes)[number];

/** Finds a mode by its name. Returns the first for an unknown name. */
export function findLadderMode(name: string | null): LadderMode {
  return ladderModes.find((mode) => mode === name) ?? ladderModes[0];
}

/** The result of one tap. `at` is in ms on the visitor's clock. */
export type TapResult =
  | { at: number; outcome: 'admitted' }
  | { at: number; outcome: 'refused' | 'warned' | 'banned'; violations: number; retryAfterMs: number };

/** Converts the refusal of a tap at `at` (ms on the visitor's clock). A ban takes precedence over a warning. */
export function toTapResult(at: number, refusal: RefusalData): TapResult {
  const { reason, warning, violations = 0, retryAfterMs } = refusal;
  const outcome = reason === 'banned' ? 'banned' : warning ? 'warned' : 'refused';
  return { at, outcome, violations, retryAfterMs: retryAfterMs ?? 0 };
}

/** A visitor's position on the ladder. Instants are in ms on the visitor's clock. */
export interface LadderState {
  /** Current number of violations: the rung. */
  violations: number;
  /** End of the ban, if there is one. */
  bannedUntil: number | undefined;
  /** Expiry of the violations. Undefined without violations and during a ban. */
  lapsesAt: number | undefined;
  /** Time of the next admission. Undefined if a tap is admitted now. */
  openAt: number | undefined;
}

/** Computes the state from results, oldest first. All violations expire together, and the end of a ban clears them. */
export function getLadderState(now: number, results: readonly TapResult[]): LadderState {
  const { limit, windowMs, banAt, lapseMs } = ladderPolicy;
  const last = results.filter((result) => result.outcome !== 'admitted').at(-1);
  const oldestOfFull = results.filter((result) => result.outcome === 'admitted').at(-limit);
  const fullUntil = oldestOfFull ? oldestOfFull.at + windowMs : 0;
  const refusedUntil = last ? last.at + last.retryAfterMs : 0;
  const unlessOver = (end: number) => (now < end ? end : undefined);
  const openAt = unlessOver(Math.max(fullUntil, refusedUntil));
  const none = { violations: 0, bannedUntil: undefined, lapsesAt: undefined, openAt };
  if (last?.outcome === 'banned') {
    const bannedUntil = unlessOver(refusedUntil);
    return bannedUntil === undefined ? none : { ...none, violations: banAt, bannedUntil };
  }
  const lapsesAt = last && last.violations > 0 ? unlessOver(last.at + lapseMs) : undefined;
  return last && lapsesAt !== undefined ? { ...none, violations: last.violations, lapsesAt } : none;
}
