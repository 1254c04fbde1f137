import { EVERYBODY, type Limiter, type Window } from '../limiter';
import type { Arrival } from '../limits/arrival';
import type { Arrivals } from '../limits/arrivals';
import type { NamedLevel } from '../limits/level-of';

/** Why somebody is refused by a level, if they are. Nothing is charged by asking. */
export interface Explanation {
  /** Epoch ms by Redis's clock. */
  serverNow: number;
  /** The subject's window with the hits in it. */
  window: Window;
  /** When the next slot frees, epoch ms; null where one is free. Of somebody banned: the end of the ban. */
  nextSlotAt: number | null;
  /** Only where the level punishes. */
  punished?: { violations: number; warning: boolean; bannedUntil: number | null };
  /** Their calls among the captured ones of the policy, newest first, a hundred at most. */
  recent: Pick<Arrival, 'at' | 'outcome' | 'refusedBy'>[];
}

export interface ExplainOptions extends NamedLevel {
  /** Of `ops.subjects`, of a window, or of a ban. Absent for a level that everybody shares. */
  ref?: string | undefined;
}

export interface ExplainDependencies {
  limiter: Pick<Limiter, 'peekNamed'>;
  arrivals: Pick<Arrivals, 'recent'>;
}

const MOST_RECENT = 100;

export function createExplain({ limiter, arrivals }: ExplainDependencies) {
  return async function explain({ policy, place, ref = EVERYBODY }: ExplainOptions): Promise<Explanation> {
    const [{ now, window, punished }, { arrivals: known }] = await Promise.all([
      limiter.peekNamed(policy, { place, name: ref }),
      arrivals.recent(policy),
    ]);
    const theirs = known.filter(({ subjects }) => subjects[place] === ref).slice(-MOST_RECENT);
    return {
      serverNow: now,
      window,
      nextSlotAt: window.retryAfterMs > 0 ? now + window.retryAfterMs : null,
      ...(punished && { punished }),
      recent: theirs.reverse().map(({ at, outcome, refusedBy }) => ({ at, outcome, refusedBy })),
    };
  };
}

export type Explain = ReturnType<typeof createExplain>;
