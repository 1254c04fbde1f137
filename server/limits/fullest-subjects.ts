import { type DecisionOutcome, masked } from '../limiter';

/** Whose window at a level is fullest, as far as a node has seen. */
export interface FullestSubject {
  policy: string;
  level: string;
  ref: string;
  /** Masked. */
  subject: string;
  /** Units in the window when it was decided about last. */
  used: number;
  /** When all of them will have left it, epoch ms by Redis's clock. */
  until: number;
}

/** Remembers one subject for each level: whoever had the most units in a window that is not over. */
export function createFullestSubjects() {
  const fullest = new Map<string, FullestSubject>();

  return {
    count({ policy, decision, counted }: DecisionOutcome): void {
      if (!decision || decision.degraded) return;
      for (const { level, used, windowMs } of decision.levels) {
        const who = counted.find((one) => one.level === level);
        if (level === 'global' || who?.subject === undefined) continue;
        const key = `${policy}|${level}`;
        const known = fullest.get(key);
        // Of the same subject the newest count is the true one: some of the units may have left.
        const isFuller = known && known.until > decision.now && known.used > used;
        if (isFuller && known.ref !== who.name) continue;
        const subject = known?.ref === who.name ? known.subject : masked(who.subject);
        fullest.set(key, { policy, level, ref: who.name, subject, used, until: decision.now + windowMs });
      }
    },

    list: (): FullestSubject[] => [...fullest.values()],
  };
}
