import type { Decision } from './decision';
import type { CallKeys } from './key';
import type { ResolvedPolicy } from './policy';
import type { LevelSubject } from './subject';

/** The outcome of a call, for metrics. */
export interface DecisionOutcome {
  policy: string;
  /** `undefined` if the store is unavailable and the policy is closed. */
  decision: Decision | undefined;
  durationMs: number;
  /** The subject of each level of the policy, in its order. */
  counted: readonly CountedSubject[];
  /** The error of the store, if it failed. */
  cause?: unknown;
}

/** A subject of a decided call. */
export interface CountedSubject {
  level: string;
  /** Its pseudonym in keys; `all` for the level `global`. */
  name: string;
  /** Personal data: store only its mask. `undefined` if the call has no such subject. */
  subject: string | undefined;
}

/** Returns the subject of each level of a policy, for metrics. */
export function listCountedSubjects<Context>(
  { levels }: ResolvedPolicy<Context>,
  keys: CallKeys,
  subjects: readonly LevelSubject[],
): CountedSubject[] {
  return levels.map(({ level }, index) => ({
    level,
    name: keys.name(index),
    subject: subjects[index] ?? undefined,
  }));
}
