/** A subject of a summary, with the bounds of its count. */
export interface CountBounds {
  /** The pseudonym of the subject. */
  ref: string;
  /** Masked. */
  subject: string;
  atLeast: number;
  atMost: number;
}

/** The most frequent subjects. */
export interface Summary {
  /** Most frequent first. */
  entries: CountBounds[];
  /** Upper bound of the count of every other subject. */
  othersAtMost: number;
}

/** Counts the most frequent subjects in bounded memory. */
export interface Sketch {
  count(ref: string, show: () => string): void;
  summary(): Summary;
}

interface Counter {
  subject: string;
  count: number;
  /** The part of the count that may belong to earlier subjects of this counter. */
  error: number;
}

/**
 * Creates a Space-Saving sketch (Metwally, Agrawal, El Abbadi: "Efficient computation of frequent and top-k elements in
 * data streams", ICDT 2005): a new subject takes over the smallest counter, with its count as the error.
 *
 * Bound: with m counters after n counts, every error is at most n / m, and every subject with more than n / m counts has
 * a counter. With 50 counters after 10,000 refusals, every subject with more than 200 refusals is listed.
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
 * Merges summaries (Agarwal et al.: "Mergeable summaries", PODS 2012). Bounds are summed. A summary that does not list a
 * subject adds its `othersAtMost` to the upper bound.
 */
export function mergeSummaries(summaries: readonly Summary[], maxEntries = 50): Summary {
  const unlisted = summaries.reduce((sum, { othersAtMost }) => sum + othersAtMost, 0);
  const merged = new Map<string, CountBounds>();
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
  const dropped = entries.slice(maxEntries);
  return {
    entries: entries.slice(0, maxEntries),
    othersAtMost: Math.max(unlisted, ...dropped.map(({ atMost }) => atMost)),
  };
}

function mostFirst(one: CountBounds, other: CountBounds): number {
  return other.atLeast - one.atLeast || other.atMost - one.atMost;
}

function smallestOf(known: ReadonlyMap<string, Counter>): [string, Counter] {
  let smallest: [string, Counter] | undefined;
  for (const entry of known) if (!smallest || entry[1].count < smallest[1].count) smallest = entry;
  if (!smallest) throw new RangeError('a sketch needs at least one counter');
  return smallest;
}
