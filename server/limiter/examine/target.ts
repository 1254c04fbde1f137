/** One answer of the examined server. The limiter decided it between `from` and `to`, in ms of the clock of the target. */
export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  from: number;
  to: number;
}

/** The changed parts of a call. */
export interface Variation {
  headers?: Readonly<Record<string, string>>;
  /** The path with the other case of its letters. Default: false. */
  hasOtherCase?: boolean;
}

/** The examined server, and the monotonic clock on which it is called. */
export interface Target {
  now(): number;
  sleepUntil(instant: number): Promise<void>;
  send(variation?: Variation): Promise<Answer>;
}

/** An answer in an examination. */
export interface SeenCall extends Answer {
  allowed: boolean;
  /** The round of the examination. */
  round: string;
}
