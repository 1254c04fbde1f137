import { type DecisionOutcome, maskSubject } from '../limiter/index';
import { createSketch, mergeSummaries, type Sketch, type Summary } from './space-saving';

/** A subject that was refused often within the last five to ten minutes. */
export interface RefusedSubject {
  policy: string;
  /** The level that counts the subject. The refusing level may be `global`. */
  level: string;
  /** The level that refused. Absent in the counts of an older node. */
  refusedBy?: string | undefined;
  /** The pseudonym of the subject, the input of `ops.explain`. */
  ref: string;
  /** Masked. */
  subject: string;
  /** Lower bound of the refusals on all nodes. */
  atLeast: number;
  /** Upper bound of the refusals: a node does not count those before the subject entered its fifty counters. */
  atMost: number;
}

/** The refusals by one level of subjects that a level counts, on one node. */
export interface RefusedAtLevel {
  policy: string;
  level: string;
  refusedBy?: string | undefined;
  summary: Summary;
}

interface Counted {
  policy: string;
  level: string;
  refusedBy: string;
  current: Sketch;
  before: Sketch;
}

/** A sketch counts for this long, and is read for as long again. */
const ROTATE_AFTER_MS = 5 * 60 * 1000;

/**
 * Counts the most refused subjects of each level that counts by subject, for each refusing level, in bounded memory.
 * `elapsed` is a monotonic clock in ms: a correction of the system clock would discard the counts.
 */
export function createRefusedSubjects({ elapsed }: { elapsed: () => number }) {
  const levels = new Map<string, Counted>();
  let rotatedAt = elapsed();

  return {
    count({ policy, decision, counted }: DecisionOutcome): void {
      if (!decision || decision.allowed) return;
      const { level: refusing } = decision.refusedBy;
      // The global level has no subject, so the narrowest level names the caller.
      const caller =
        refusing === 'global'
          ? counted.find(({ level }) => level !== 'global')
          : counted.find(({ level }) => level === refusing);
      if (caller?.subject === undefined) return;
      const { level, pseudonym, subject } = caller;
      const key = `${policy}|${level}|${refusing}`;
      let counts = levels.get(key);
      if (!counts) {
        counts = { policy, level, refusedBy: refusing, current: createSketch(), before: createSketch() };
        levels.set(key, counts);
      }
      counts.current.count(pseudonym, () => maskSubject(subject));
    },

    /** Returns the counts of the last five to ten minutes. */
    list(): RefusedAtLevel[] {
      for (; elapsed() - rotatedAt >= ROTATE_AFTER_MS; rotatedAt += ROTATE_AFTER_MS) {
        for (const counts of levels.values()) {
          counts.before = counts.current;
          counts.current = createSketch();
        }
      }
      return [...levels.values()].map(({ policy, level, refusedBy, current, before }) => ({
        policy,
        level,
        refusedBy,
        summary: mergeSummaries([current.summary(), before.summary()]),
      }));
    },
  };
}
