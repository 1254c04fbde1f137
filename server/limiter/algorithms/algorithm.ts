/** The numbers of a level for one call. */
export interface Numbers {
  limit: number;
  /** Of in-flight: the lease. */
  windowMs: number;
  /** Only of a sliding-counter. */
  subWindows: number;
}

/** One call at one level. */
export interface LevelCall extends Numbers {
  /** Epoch ms. */
  clock: number;
  /** In units; 0 peeks. */
  cost: number;
  /** Only of in-flight. */
  leaseId: string;
}

/** The state of a level for a call. The times count from the clock of the call. */
export interface Reading {
  /** The clock of the call, or the newest instant of the level if that is later. */
  now: number;
  used: number;
  /** The time until the units of the call fit, of a peek until one unit fits; 0 if they fit now. */
  retryAfterMs: number;
  /** The time until the oldest unit returns; 0 if no unit is used. */
  resetMs: number;
}

/** A state, and how long it is needed after the call that wrote it. */
export interface Written<State> {
  state: State;
  ttlMs: number;
}

/** Units of a former call that return. */
export interface Refund extends Numbers {
  clock: number;
  /** The instant of the former call at this level. */
  at: number;
  units: number;
  /** The units that the former call was charged. */
  reserved: number;
}

/** An algorithm of a level. Its functions change no state: they return the next one. */
export interface StateAlgorithm<State> {
  /** Reads a level before a call. */
  read(state: State | undefined, call: LevelCall): Reading;
  /** Charges a call that fits. */
  charge(state: State | undefined, call: LevelCall): Written<State> & { reading: Reading };
  /** Returns the state without refunded units; `undefined` deletes it. */
  refund?(state: State, refund: Refund): State | undefined;
  /** Returns true if the last admitted call had another limit or window. */
  hasOtherNumbers?(state: State, numbers: Numbers): boolean;
  /** Returns the most used units that the state holds exactly. */
  maxUsed?(numbers: Numbers): number;
  /** Returns the newest units in the window, oldest first. */
  hits?(state: State, call: LevelCall, most: number): number[];
  /** Ends a lease. Returns `false` if it is not held, and `undefined` if none remains. */
  release?(state: State, call: LevelCall): Written<State> | undefined | false;
  /** Moves the end of a lease. Returns `false` if it is not held. */
  renew?(state: State, call: LevelCall): Written<State> | undefined | false;
}
