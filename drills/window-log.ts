import { setTimeout as sleep } from 'node:timers/promises';

/** Keeps what every node shows of one global window, for a look at all of its windows afterwards. */
export interface WindowLog {
  /** Redis has just lost data: it counts anew, and the log is judged in parts. */
  cut(): void;
  wasCut(): boolean;
  /** How many hits were seen. */
  size(): number;
  /** The fullest window (t − windowMs, t] of all, by Redis's clock. */
  fullest(windowMs: number): number;
  stop(): Promise<void>;
}

/** Long before a hit leaves its window. */
const RECONNECT_AFTER_MS = 150;

/** Watches the window `coupon.seckill` `global` on the live stream of each node. */
export function startWindowLog(urls: readonly string[]): WindowLog {
  const stopping = new AbortController();
  /** Hits by their ms: the most that were seen of it at once. */
  const seen = new Map<number, number>();
  const cuts: number[] = [];

  function recordHits(data: string): void {
    for (const [at, count] of countsOf(hitsOf(JSON.parse(data)))) {
      seen.set(at, Math.max(seen.get(at) ?? 0, count));
    }
  }

  async function watch(url: string): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { body } = await fetch(`${url}/api/live`, { signal: stopping.signal });
        if (body) await readEvents(body, recordHits);
      } catch (error) {
        // A node that is dead has nothing to say, and the others go on.
        if (!(error instanceof TypeError) && !isAbort(error)) throw error;
      }
      await sleep(RECONNECT_AFTER_MS);
    }
  }

  const watches = urls.map(watch);
  return {
    cut: () => void cuts.push(Date.now()),
    wasCut: () => cuts.length > 0,
    size: () => [...seen.values()].reduce((sum, count) => sum + count, 0),
    fullest: (windowMs) => fullestWindow([...seen], { windowMs, cuts }),
    async stop() {
      stopping.abort();
      await Promise.all(watches);
    },
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Of hits by their ms; a window does not reach across a cut. */
export function fullestWindow(
  hits: readonly (readonly [at: number, count: number])[],
  { windowMs, cuts = [] }: { windowMs: number; cuts?: readonly number[] },
): number {
  const sorted = hits.toSorted(([one], [other]) => one - other);
  const lifeOf = (at: number) => cuts.filter((cut) => cut < at).length;
  let oldest = 0;
  let inside = 0;
  let fullest = 0;
  for (const [at, count] of sorted) {
    inside += count;
    for (;;) {
      const [oldAt = 0, oldCount = 0] = sorted[oldest] ?? [];
      if (oldAt > at - windowMs && lifeOf(oldAt) === lifeOf(at)) break;
      inside -= oldCount;
      oldest += 1;
    }
    fullest = Math.max(fullest, inside);
  }
  return fullest;
}

function countsOf(hits: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const at of hits) counts.set(at, (counts.get(at) ?? 0) + 1);
  return counts;
}

interface Shown {
  windows: { policy: string; level: string; hits: number[] }[];
}

function hitsOf(state: Shown): number[] {
  return (
    state.windows.find(({ policy, level }) => policy === 'coupon.seckill' && level === 'global')?.hits ?? []
  );
}

/** The data of each `event: windows` of a stream, until it ends. */
async function readEvents(body: ReadableStream<Uint8Array>, hear: (data: string) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += decoder.decode(chunk.value, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: windows\ndata: (.*)$/.exec(event)?.[1];
      if (data !== undefined) hear(data);
    }
  }
}
