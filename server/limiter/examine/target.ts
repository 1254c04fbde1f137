/** One answer of the examined server. Times in ms on the monotonic clock of the target. */
export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  sentAt: number;
  receivedAt: number;
}

/** The changed parts of a call. */
export interface Variation {
  headers?: Readonly<Record<string, string>>;
  /** The path with the other case of its letters. Default: false. */
  hasOtherCase?: boolean;
}

/** The examined server, and the clock on which it is called. */
export interface Target {
  now(): number;
  sleepUntil(instant: number): Promise<void>;
  send(variation?: Variation): Promise<Answer>;
}

/** A call and its answer. The limiter decided it between `from` and `to`. */
export interface SeenCall extends Answer {
  from: number;
  to: number;
  allowed: boolean;
  /** The round of the examination. */
  round: string;
}
