import { setTimeout as sleep } from 'node:timers/promises';
import { ignoreAbort } from './ignore-abort';

/** Records the hits that every node shows of one global window, to check all windows afterwards. */
export interface WindowLog {
  /** Marks a data loss of Redis. No window spans it. */
  cut(): void;
  wasCut(): boolean;
  /** The number of recorded hits. */
  size(): number;
  /** Returns the number of hits in the fullest window (t − windowMs, t], by Redis's clock. */
  fullest(windowMs: number): number;
  stop(): Promise<void>;
}

/** Much shorter than a window, so that no hit is missed. */
const RECONNECT_AFTER_MS = 150;

/** Reads the window `coupon.seckill` `global` from the live stream of each node. */
export function startWindowLog(urls: readonly string[]): WindowLog {
  const stopping = new AbortController();
  /** The number of hits by millisecond: the maximum that one event showed. */
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
        // The node is down. The other streams continue.
        if (!(error instanceof TypeError)) ignoreAbort(error);
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

/** Returns the number of hits in the fullest window. A window does not span a cut. */
export function fullestWindow(
  hits: readonly (readonly [at: number, count: number])[],
  { windowMs, cuts = [] }: { windowMs: number; cuts?: readonly number[] },
): number {
  const sorted = hits.toSorted(([one], [other]) => one - other);
  const epochOf = (at: number) => cuts.filter((cut) => cut < at).length;
  let oldest = 0;
  let inside = 0;
  let fullest = 0;
  for (const [at, count] of sorted) {
    inside += count;
    for (;;) {
      const [oldAt = 0, oldCount = 0] = sorted[oldest] ?? [];
      if (oldAt > at - windowMs && epochOf(oldAt) === epochOf(at)) break;
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

/** Calls `onEvent` with the data of each `event: windows`, until the stream ends. */
async function readEvents(body: ReadableStream<Uint8Array>, onEvent: (data: string) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += decoder.decode(chunk.value, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: windows\ndata: (.*)$/.exec(event)?.[1];
      if (data !== undefined) onEvent(data);
    }
  }
}
