export const decisionWays = ['commands', 'lock', 'script'] as const;

/** One decision after the other, made in different ways, and measured. */
export interface RoundTrips {
  ways: {
    way: (typeof decisionWays)[number];
    /** The commands of one admitted decision, in order, as `redis-cli` would take them. */
    commands: string[];
    /** How many times one admitted decision waits for Redis. */
    roundTrips: number;
    /** In µs, of one decision. */
    medianMicros: number;
    p99Micros: number;
    /** Whether no two callers can be admitted for one unit. */
    exact: boolean;
  }[];
  /** How many decisions each way made. */
  decisions: number;
}
