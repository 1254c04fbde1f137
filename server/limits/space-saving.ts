/** Somebody in a summary: between so many and so many times. */
export interface Tallied {
  /** Of the subject. */
  ref: string;
  /** What is shown of it. */
  subject: string;
  atLeast: number;
  atMost: number;
}

/** Who came most often. */
export interface Summary {
  /** Most often first. */
  entries: Tallied[];
  /** Whoever is not among them came so often at most. */
  othersAtMost: number;
}

/** Counts who comes most often, in memory that does not grow. */
export interface Sketch {
  count(ref: string, show: () => string): void;
  summary(): Summary;
}

interface Counter {
  subject: string;
  count: number;
  /** How much of the count may be of others, who had this counter before. */
  error: number;
}

/**
 * The Space-Saving algorithm (Metwally, Agrawal, El Abbadi: "Efficient computation of frequent and top-k elements in
 * data streams", ICDT 2005): a newcomer takes the smallest counter over, and its count as an error.
 *
 * Bound: with m counters after n counts every error is at most n / m, and whoever came more often than n / m times has
 * a counter. Of 50 counters after 10 000 refusals: nobody who was refused more than 200 times is missing.
 */
export function createSketch(counters = 50): Sketch {
  const known = new Map<string, Counter>();

  return {
    count(ref, show) {
      const counter = known.get(ref);
      if (counter) {
        counter.count += 1;
        return;
      }
      let error = 0;
      if (known.size >= counters) {
        const [smallest, { count }] = smallestOf(known);
        known.delete(smallest);
        error = count;
      }
      known.set(ref, { subject: show(), count: error + 1, error });
    },

    summary() {
      const entries = [...known].map(([ref, { subject, count, error }]) => ({
        ...{ ref, subject, atLeast: count - error, atMost: count },
      }));
      const isFull = known.size >= counters;
      return {
        entries: entries.sort(mostFirst),
        othersAtMost: isFull ? Math.min(...entries.map(({ atMost }) => atMost)) : 0,
      };
    },
  };
}

/**
 * What several summaries say together (Agarwal et al.: "Mergeable summaries", PODS 2012): bounds add up, and where one
 * does not list somebody, they may have come as often as it says of others.
 */
export function mergeSummaries(summaries: readonly Summary[], most = 50): Summary {
  const unlisted = summaries.reduce((sum, { othersAtMost }) => sum + othersAtMost, 0);
  const merged = new Map<string, Tallied>();
  for (const { entries, othersAtMost } of summaries) {
    for (const { ref, subject, atLeast, atMost } of entries) {
      const before = merged.get(ref) ?? { ref, subject, atLeast: 0, atMost: unlisted };
      merged.set(ref, {
        ...before,
        atLeast: before.atLeast + atLeast,
        atMost: before.atMost + atMost - othersAtMost,
      });
    }
  }
  const entries = [...merged.values()].sort(mostFirst);
  const left = entries.slice(most);
  return {
    entries: entries.slice(0, most),
    othersAtMost: Math.max(unlisted, ...left.map(({ atMost }) => atMost)),
  };
}

function mostFirst(one: Tallied, other: Tallied): number {
  return other.atLeast - one.atLeast || other.atMost - one.atMost;
}

function smallestOf(known: ReadonlyMap<string, Counter>): [string, Counter] {
  let smallest: [string, Counter] | undefined;
  for (const entry of known) if (!smallest || entry[1].count < smallest[1].count) smallest = entry;
  if (!smallest) throw new RangeError('a sketch without counters counts nobody');
  return smallest;
}
