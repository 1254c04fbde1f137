import type { DecideOptions } from '../decide/decide';
import type { Admitted } from '../decide/decision';
import type { ResolvedPolicy } from '../policy/policy';
import { createPace, FIRST_STEP, type Step } from './pace';

/** A call that waits. */
export interface Waiter {
  call: DecideOptions;
  cost: number;
  /** Calls of one kind may take each other's admission: they have the same cost, and no request id. */
  kind: unknown;
  /** The time of the call, by the clock of the process. */
  joinedAt: number;
  /** In ms, or infinity. */
  maxWaitMs: number;
  /** The latest start, by the clock of the process. Round trips to the store may delay it. */
  deadline: number;
  resolve: (decision: Admitted) => void;
  reject: (reason: unknown) => void;
}

/** The waiters of one policy and the same keys, in order. Only the first call the store. */
export interface Line {
  /** The policy and the keys, in a text. */
  id: string;
  policy: ResolvedPolicy;
  /** The keys of the levels that take part. */
  keys: readonly string[];
  waiters: Set<Waiter>;
  /** Units of the waiters. A call with a request id counts none, because it may have been charged before. */
  units: number;
  /** The kinds of the admitted calls that a leaky bucket starts later. The first waiter of the kind takes the start. */
  delayed: unknown[];
  /** The time until which the first waiter is refused, by the clock of the process. */
  fullUntil: number;
  step: Step;
  nextStep: ReturnType<typeof createPace>;
  /** True if the line waits for a start or for a waiter. */
  isIdle: boolean;
  /** Ends the pause. */
  wake: () => void;
}

const nothing = () => undefined;

/** Creates a line without waiters. `clock` is that of the process, in ms. */
export function createLine(given: Pick<Line, 'id' | 'policy' | 'keys'>, clock: () => number): Line {
  return {
    ...given,
    ...{ waiters: new Set(), units: 0, delayed: [], fullUntil: Number.NEGATIVE_INFINITY },
    ...{ step: FIRST_STEP, nextStep: createPace(clock), isIdle: false, wake: nothing },
  };
}

/** Adds a waiter to the end of a line. */
export function addWaiter(line: Line, waiter: Waiter): void {
  line.waiters.add(waiter);
  line.units += unitsOf(waiter);
}

/** Resolves or rejects a waiter, which leaves its line; not if it had left. */
export function endWaiter(line: Line, waiter: Waiter, end: (waiter: Waiter) => void): void {
  if (!line.waiters.delete(waiter)) return;
  line.units -= unitsOf(waiter);
  if (line.waiters.size === 0) line.wake();
  end(waiter);
}

/** Lists the waiters that have no start yet, in order. */
export function* withoutStart({ waiters, delayed }: Line): Generator<Waiter> {
  const started = [...delayed];
  for (const waiter of waiters) {
    const index = started.indexOf(waiter.kind);
    if (index < 0) yield waiter;
    else started.splice(index, 1);
  }
}

/** Returns the waiters of the next round: the first of one kind, at most the number of the step. */
export function nextWaiters(line: Line, now: number): Waiter[] {
  const { checks, lastChecks, maxDelayed } = line.step;
  const next: Waiter[] = [];
  for (const waiter of withoutStart(line)) {
    const most = Math.min(waiter.deadline <= now ? lastChecks : checks, maxDelayed - line.delayed.length);
    if (next.length >= most || (next[0] && next[0].kind !== waiter.kind)) break;
    next.push(waiter);
  }
  return next;
}

/** True if a line waits for room, a start or a waiter, and not for the store. */
export function isPaused(line: Line): boolean {
  return line.wake !== nothing;
}

/** Waits for a time, or until `wake`. Infinity waits for `wake` alone. */
export function pauseLine(line: Line, pauseMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = Number.isFinite(pauseMs) ? setTimeout(end, pauseMs) : undefined;
    function end(): void {
      clearTimeout(timer);
      line.wake = nothing;
      resolve();
    }
    line.wake = end;
  });
}

/** Returns the units that a waiter charges at least. */
export function unitsOf({ call, cost }: Waiter): number {
  return call.requestId === undefined ? cost : 0;
}
