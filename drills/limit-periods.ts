/** A period in epoch ms. */
export interface Period {
  from: number;
  until: number;
}

/** The limit of a window over time. */
export interface LimitPeriods {
  /** Changes the limit. While `apply` runs, each node has either the former limit or the new one. */
  change(limit: number, apply: () => Promise<void>): Promise<void>;
  /** Returns the highest limit that a node could have at an instant. */
  limitAt(at: number): number;
  /** The changes, from their start to the instant at which every node has the new limit. */
  changes(): readonly Period[];
}

export function createLimitPeriods(first: number): LimitPeriods {
  const changes: (Period & { limit: number })[] = [];
  return {
    async change(limit, apply) {
      const change = { limit, from: Date.now(), until: Number.POSITIVE_INFINITY };
      changes.push(change);
      await apply();
      change.until = Date.now();
    },
    limitAt(at) {
      const inForce = changes.filter(({ from }) => from <= at);
      const complete = inForce.findLast(({ until }) => until < at);
      const pending = inForce.filter(({ until }) => until >= at);
      return Math.max(complete?.limit ?? first, ...pending.map(({ limit }) => limit));
    },
    changes: () => changes,
  };
}
