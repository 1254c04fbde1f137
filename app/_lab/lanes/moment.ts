import type { DecidedCall } from '../types';
import { countInWindow, placeAfter } from './window-counts';

/** How one algorithm stands at an instant. */
export interface Moment {
  /** Admitted in the window that ends at this instant. */
  inWindow: number;
  /** The newest call, and what it was told; none before the first. */
  last: DecidedCall | undefined;
  /** Admitted calls that still wait for their turn in a queue. */
  queued: number;
}

interface Decided {
  /** Ascending. */
  decisions: readonly DecidedCall[];
  windowMs: number;
}

export function momentOf({ decisions, windowMs }: Decided, at: number): Moment {
  const instants = decisions.map((call) => call.at);
  const admitted = decisions.filter((call) => call.allowed);
  const last = decisions[placeAfter(instants, at) - 1];
  return {
    inWindow: countInWindow(
      admitted.map((call) => call.at),
      windowMs,
      at,
    ),
    last,
    queued: admitted.filter((call) => call.at <= at && call.at + call.delayMs > at).length,
  };
}
