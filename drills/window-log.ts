import { type LiveState, watchLive } from './watch-live';

/** Records the hits that every node shows of one global window, to check all windows afterwards. */
export interface WindowLog {
  /** Marks a data loss of Redis. No window spans it. */
  cut(): void;
  wasCut(): boolean;
  /** Returns the instant of the first data loss. */
  cutAt(): number | undefined;
  /** The number of recorded hits. */
  size(): number;
  /** Returns the number of hits in each window (t − windowMs, t] that ends with a hit, by Redis's clock. */
  windows(windowMs: number): HitWindow[];
  /** Returns the number of hits by instant, in order. */
  hits(): Hit[];
  stop(): Promise<void>;
}

type Hit = readonly [at: number, count: number];

/** The hits of a window that ends at an instant. */
export interface HitWindow {
  at: number;
  count: number;
}

/** Reads the window `coupon.seckill` `global` from the live stream of each node. */
export function startWindowLog(urls: readonly string[]): WindowLog {
  const stopping = new AbortController();
  /** The number of hits by millisecond: the maximum that one event showed. */
  const seen = new Map<number, number>();
  const cuts: number[] = [];

  function recordHits(state: LiveState): void {
    for (const [at, count] of countsOf(hitsOf(state))) {
      seen.set(at, Math.max(seen.get(at) ?? 0, count));
    }
  }

  const watches = urls.map((url) => watchLive(url, { signal: stopping.signal, onState: recordHits }));
  return {
    cut: () => void cuts.push(Date.now()),
    wasCut: () => cuts.length > 0,
    cutAt: () => cuts[0],
    size: () => [...seen.values()].reduce((sum, count) => sum + count, 0),
    windows: (windowMs) => listWindows([...seen], { windowMs, cuts }),
    hits: () => sortHits([...seen]),
    async stop() {
      stopping.abort();
      await Promise.all(watches);
    },
  };
}

/** Returns the number of hits in the fullest window. A window does not span a cut. */
export function fullestWindow(...[hits, options]: Parameters<typeof listWindows>): number {
  return Math.max(0, ...listWindows(hits, options).map(({ count }) => count));
}

function listWindows(
  hits: readonly Hit[],
  { windowMs, cuts = [] }: { windowMs: number; cuts?: readonly number[] },
): HitWindow[] {
  const sorted = sortHits(hits);
  const epochOf = (at: number) => cuts.filter((cut) => cut < at).length;
  let oldest = 0;
  let inside = 0;
  return sorted.map(([at, count]) => {
    inside += count;
    for (;;) {
      const [oldAt = 0, oldCount = 0] = sorted[oldest] ?? [];
      if (oldAt > at - windowMs && epochOf(oldAt) === epochOf(at)) break;
      inside -= oldCount;
      oldest += 1;
    }
    return { at, count: inside };
  });
}

function sortHits(hits: readonly Hit[]): Hit[] {
  return hits.toSorted(([one], [other]) => one - other);
}

function countsOf(hits: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const at of hits) counts.set(at, (counts.get(at) ?? 0) + 1);
  return counts;
}

function hitsOf({ windows }: LiveState): number[] {
  return windows.find(({ policy, level }) => policy === 'coupon.seckill' && level === 'global')?.hits ?? [];
}
