import type { Window } from '../limiter';
import type { Arrival } from '../limits/arrival';

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

export interface ExplainOptions {
  policy: string;
  level: string;
  /** Of `ops.subjects`, of a window, or of a ban. Absent for a level that everybody shares. */
  ref?: string | undefined;
}
