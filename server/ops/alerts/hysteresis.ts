/** The thresholds at which a value raises and clears an alert. */
export interface Thresholds {
  /** A value of at least this… */
  raiseAt: number;
  /** …for this long raises the alert, in ms. */
  forMs: number;
  /** A value below this, which is at most `raiseAt`… */
  clearAt: number;
  /** …for this long clears the alert, in ms. */
  clearMs: number;
}

/** The state of a rule. Instants in epoch ms. */
export type RuleState =
  | { phase: 'quiet' }
  /** High since then, for less than `forMs`. */
  | { phase: 'rising'; since: number }
  | { phase: 'raised' }
  /** Low since then, for less than `clearMs`. */
  | { phase: 'falling'; since: number };

export interface Transition {
  state: RuleState;
  change?: 'raised' | 'cleared';
}

/**
 * Returns the next state. A value between `clearAt` and `raiseAt` changes no alert and restarts the wait, so a value that
 * oscillates there raises no second alert. An unknown value changes nothing.
 */
export function nextRuleState(
  current: RuleState,
  { raiseAt, forMs, clearAt, clearMs }: Thresholds,
  { value, now }: { value: number | undefined; now: number },
): Transition {
  if (value === undefined) return { state: current };
  switch (current.phase) {
    case 'quiet':
    case 'rising': {
      if (value < raiseAt) return { state: { phase: 'quiet' } };
      const since = current.phase === 'rising' ? notLater(current.since, now) : now;
      if (now - since < forMs) return { state: { phase: 'rising', since } };
      return { state: { phase: 'raised' }, change: 'raised' };
    }
    case 'raised':
    case 'falling': {
      if (value >= clearAt) return { state: { phase: 'raised' } };
      const since = current.phase === 'falling' ? notLater(current.since, now) : now;
      if (now - since < clearMs) return { state: { phase: 'falling', since } };
      return { state: { phase: 'quiet' }, change: 'cleared' };
    }
  }
}

/** Limits an instant to now. A future instant comes from the clock of another Redis, and restarts the wait. */
function notLater(since: number, now: number): number {
  return Math.min(since, now);
}
