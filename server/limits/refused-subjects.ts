import { type DecisionOutcome, masked } from '../limiter';
import { createSketch, mergeSummaries, type Sketch, type Summary } from './space-saving';

/** Somebody who was refused often of late. */
export interface RefusedSubject {
  policy: string;
  /** The level that counts the subject. What refused them may have been a window that everybody shares. */
  level: string;
  /** Names the subject in `ops.explain`. */
  ref: string;
  /** Masked. */
  subject: string;
  /** So many refusals at least, on all nodes, within the last five to ten minutes. */
  atLeast: number;
  /** And so many at most: what was refused before the subject was among the fifty of a node is not known. */
  atMost: number;
}

/** What a node has counted at one level. */
export interface RefusedAtLevel {
  policy: string;
  level: string;
  summary: Summary;
}

interface Counted {
  policy: string;
  level: string;
  current: Sketch;
  before: Sketch;
}

/** So long a sketch counts; then it is kept for as long again. */
const TURN_MS = 5 * 60 * 1000;

/**
 * Counts who is refused most, at each level that tells callers apart, in memory that does not grow. `elapsed` is a
 * clock in ms that nobody sets: of any other a correction would pass for minutes, and all would be forgotten.
 */
export function createRefusedSubjects({ elapsed }: { elapsed: () => number }) {
  const levels = new Map<string, Counted>();
  let turnedAt = elapsed();

  return {
    count({ policy, decision, counted }: DecisionOutcome): void {
      if (!decision || decision.allowed) return;
      const { level: refusing } = decision.refusedBy;
      // Where everybody's window is full, it is the caller by whom it is told who knocks most.
      const who =
        refusing === 'global'
          ? counted.find(({ level }) => level !== 'global')
          : counted.find(({ level }) => level === refusing);
      if (who?.subject === undefined) return;
      const { level, name, subject } = who;
      const key = `${policy}|${level}`;
      let of = levels.get(key);
      if (!of) {
        of = { policy, level, current: createSketch(), before: createSketch() };
        levels.set(key, of);
      }
      of.current.count(name, () => masked(subject));
    },

    /** What was counted in the last five to ten minutes. */
    list(): RefusedAtLevel[] {
      for (; elapsed() - turnedAt >= TURN_MS; turnedAt += TURN_MS) {
        for (const of of levels.values()) {
          of.before = of.current;
          of.current = createSketch();
        }
      }
      return [...levels.values()].map(({ policy, level, current, before }) => ({
        policy,
        level,
        summary: mergeSummaries([current.summary(), before.summary()]),
      }));
    },
  };
}
