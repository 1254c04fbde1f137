import type { Mode } from '../limiter';

/** A question: what would these numbers have done to the last minutes? */
export interface WhatIfOptions {
  policy: string;
  level: string;
  limit?: number | undefined;
  windowMs?: number | undefined;
  mode?: Mode | undefined;
}

/** The same arrivals, decided twice by the product's own script on a simulated clock, from empty windows on. */
export interface WhatIf {
  /** Epoch ms by Redis's clock: all arrivals of the policy within it are among these. */
  from: number;
  to: number;
  arrivals: number;
  /** What was in fact decided: `then`, where the windows were empty at `from` and no limit was tuned since. */
  recorded: Tally;
  /** Under the limits in force. */
  then: Replay;
  /** Under the limits that are asked about. */
  now: Replay;
}

export interface Tally {
  admitted: number;
  /** Refused or banned. */
  refused: number;
}

export interface Replay extends Tally {
  /** One for each second from `from` to `to`, those without arrivals among them. */
  perSecond: (Tally & { at: number })[];
}
