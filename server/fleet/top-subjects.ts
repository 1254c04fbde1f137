import { type DecisionOutcome, maskSubject } from '../limiter';

/** The subject with the fullest window of a level, among the decisions of a node. */
export interface TopSubject {
  policy: string;
  level: string;
  ref: string;
  /** Masked. */
  subject: string;
  /** Units in the window at the last decision. */
  used: number;
  /** End of the window of the newest unit, epoch ms by Redis's clock. */
  until: number;
}

/** Keeps the top subject of each level: the one with the most units in a window that has not ended. */
export function createTopSubjects() {
  const tops = new Map<string, TopSubject>();

  return {
    count({ policy, decision, counted }: DecisionOutcome): void {
      if (!decision || decision.degraded) return;
      for (const { level, used, windowMs } of decision.levels) {
        const caller = counted.find((one) => one.level === level);
        if (level === 'global' || caller?.subject === undefined) continue;
        const key = `${policy}|${level}`;
        const known = tops.get(key);
        // The newest count of the same subject replaces an older one: units may have left the window.
        const isFuller = known && known.until > decision.now && known.used > used;
        if (isFuller && known.ref !== caller.name) continue;
        const subject = known?.ref === caller.name ? known.subject : maskSubject(caller.subject);
        tops.set(key, { policy, level, ref: caller.name, subject, used, until: decision.now + windowMs });
      }
    },

    list: (): TopSubject[] => [...tops.values()],
  };
}
