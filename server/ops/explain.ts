import type { Arrival } from '../fleet/arrival';
import type { Arrivals } from '../fleet/arrivals';
import { GLOBAL_SUBJECT, type Limiter, type Window } from '../limiter';
import type { NamedLevel } from '../limits/find-level';

/** The state of a subject at a level. Reading it charges nothing. */
export interface Explanation {
  /** Epoch ms by Redis's clock. */
  serverNow: number;
  /** The subject's window and its hits. */
  window: Window;
  /** Instant at which the next slot frees, epoch ms; null if one is free. For a banned subject: the end of the ban. */
  nextSlotAt: number | null;
  /** Present only for a level that punishes. */
  punished?: { violations: number; warning: boolean; bannedUntil: number | null };
  /** The subject's captured calls, newest first, at most 100. */
  recent: Pick<Arrival, 'at' | 'outcome' | 'refusedBy'>[];
}

export interface ExplainOptions extends NamedLevel {
  /** The `ref` of `ops.subjects`, of a window or of a ban. Absent for a global level. */
  ref?: string | undefined;
}

export interface ExplainDependencies {
  limiter: Pick<Limiter, 'peekNamed'>;
  arrivals: Pick<Arrivals, 'readRecent'>;
}

const MAX_RECENT = 100;

/** Builds the query of one subject. It charges nothing, and rejects with `StoreUnavailableError`. */
export function createExplain({ limiter, arrivals }: ExplainDependencies) {
  return async function explain({
    policy,
    index,
    ref = GLOBAL_SUBJECT,
  }: ExplainOptions): Promise<Explanation> {
    const [{ now, window, punished }, { arrivals: known }] = await Promise.all([
      limiter.peekNamed(policy, { index: index, name: ref }),
      arrivals.readRecent(policy),
    ]);
    const calls = known.filter(({ subjects }) => subjects[index] === ref).slice(-MAX_RECENT);
    return {
      serverNow: now,
      window,
      nextSlotAt: window.retryAfterMs > 0 ? now + window.retryAfterMs : null,
      ...(punished && { punished }),
      recent: calls.reverse().map(({ at, outcome, refusedBy }) => ({ at, outcome, refusedBy })),
    };
  };
}

export type Explain = ReturnType<typeof createExplain>;
