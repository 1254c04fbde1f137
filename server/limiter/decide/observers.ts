import { type DecisionOutcome, listCountedSubjects } from './decision';
import type { ChargedCall } from './settle';

/** Receives every decision of a limiter, for metrics. Must not throw. */
export type DecisionObserver = (outcome: DecisionOutcome) => void;

/** A decided call. */
interface Observed extends Pick<DecisionOutcome, 'decision' | 'source' | 'error'> {
  /** By `performance.now()`. Absent: the decision took no time. */
  startedAt?: number;
}

/** The observers of the decisions of a limiter. */
export interface Observers {
  /** Passes the outcome of a call to all observers. */
  observe(call: Pick<ChargedCall, 'declared' | 'keys' | 'subjects'>, observed: Observed): void;
  /** Adds an observer. Returns the function that removes it. */
  subscribe(observer: DecisionObserver): () => void;
}

/** Creates the observers of a limiter, the first from its options. */
export function createObservers(first: DecisionObserver | undefined): Observers {
  const observers = new Set(first && [first]);

  return {
    observe(call, { startedAt, decision, source, error }) {
      if (observers.size === 0) return;
      const durationMs = startedAt === undefined ? 0 : performance.now() - startedAt;
      const counted = listCountedSubjects(call.declared, call);
      // Not by a spread, which is slow.
      const outcome = { policy: call.declared.name, decision, durationMs, counted, source, error };
      for (const observer of observers) observer(outcome);
    },
    subscribe(observer) {
      observers.add(observer);
      return () => observers.delete(observer);
    },
  };
}
