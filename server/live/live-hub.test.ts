import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EventHub, ViewerOptions } from './event-hub';
import { createLiveHub, type LiveEvent, type LiveState } from './live-hub';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a viewer receives the reconnection delay and the state at once', async () => {
  const { hub } = liveHub();
  const viewer = join(hub);
  expect(viewer.text()).toBe('retry: 1000\n\n');
  await passed(0);
  const { stockGaps: _gaps, ...state } = stateAt(1);
  expect(viewer.text()).toMatch(/^retry: 1000\n\nevent: windows\ndata: .*\n\n$/);
  expect(viewer.events()).toEqual([{ ...state, sequence: expect.any(Number) }]);
});

test('a change is seen within 250 ms, and no change sends nothing', async () => {
  const { hub, state } = liveHub();
  const viewer = join(hub);
  await passed(0);
  state.serverNow = 9;
  await passed(1_000);
  expect(viewer.events()).toHaveLength(1);
  state.stock = [{ couponId: 'c1', remaining: 7 }];
  await passed(250);
  expect(viewer.events()).toHaveLength(2);
  expect(viewer.events()[1]).toMatchObject({ serverNow: 9, stock: [{ couponId: 'c1', remaining: 7 }] });
});

test('a countdown that runs down is no change; a hit that leaves is one', async () => {
  const { hub, state } = liveHub();
  const viewer = join(hub);
  await passed(0);
  state.windows = [{ ...full, retryAfterMs: 700 }];
  await passed(250);
  expect(viewer.events()).toHaveLength(2);
  state.windows = [{ ...full, retryAfterMs: 450 }];
  await passed(250);
  expect(viewer.events()).toHaveLength(2);
  state.windows = [{ ...full, used: 0, remaining: 1, hits: [], retryAfterMs: 0 }];
  await passed(250);
  expect(viewer.events()).toHaveLength(3);
});

test('however often the state changes, a viewer gets at most four events a second after the first', async () => {
  const { hub, state } = liveHub();
  const viewer = join(hub);
  for (let ms = 0; ms < 1_000; ms += 10) {
    state.stock = [{ couponId: 'c1', remaining: ms }];
    if (ms % 50 === 0) join(hub);
    await passed(10);
  }
  expect(viewer.events().length).toBeLessThanOrEqual(5);
});

test('one state is read once and written as the same bytes to all', async () => {
  const { hub, read } = liveHub();
  const viewers = Array.from({ length: 500 }, () => join(hub));
  await passed(0);
  expect(read).toHaveBeenCalledTimes(1);
  const [first, ...others] = viewers.map(({ chunks }) => chunks[1]);
  for (const chunk of others) expect(chunk).toBe(first);
});

test('nothing is read without viewers', async () => {
  const { hub, read, viewerCounts } = liveHub();
  await passed(10_000);
  expect(read).not.toHaveBeenCalled();
  const viewer = join(hub);
  await passed(1_000);
  viewer.emit('close');
  const reads = read.mock.calls.length;
  await passed(10_000);
  expect(read).toHaveBeenCalledTimes(reads);
  expect(viewerCounts).toEqual([1, 0]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a comment keeps an idle stream open every 15 s', async () => {
  const { hub } = liveHub();
  const viewer = join(hub);
  await passed(45_000);
  expect(viewer.chunks.filter((chunk) => chunk.toString() === ':\n\n')).toHaveLength(3);
});

test('an idle stream reports every 5 s that the state is still read, and stops when reads fail', async () => {
  const { hub, read, state } = liveHub();
  const viewer = join(hub);
  const signs = () => viewer.chunks.filter((chunk) => chunk.toString().startsWith('event: alive\n'));
  await passed(4_750);
  expect(signs()).toEqual([]);
  state.serverNow = 9;
  await passed(250);
  expect(signs().map(String)).toEqual(['event: alive\ndata: {"serverNow":9}\n\n']);
  read.mockRejectedValue(new Error('Redis is away'));
  await passed(30_000);
  expect(signs()).toHaveLength(1);
});

test('a viewer that does not read is cut off, and the others are not', async () => {
  const { hub, state } = liveHub();
  const slow = join(hub);
  const other = join(hub);
  await passed(0);
  slow.writableLength = 256 * 1024 + 1;
  state.stock = [{ couponId: 'c1', remaining: 1 }];
  await passed(250);
  expect(slow.destroyed).toBe(true);
  expect(slow.events()).toHaveLength(1);
  expect(other.events()).toHaveLength(2);
});

describe('while the state cannot be read', () => {
  test('viewers stay connected, the log has one line, and the stream recovers by itself', async () => {
    const { hub, read, state, lines } = liveHub();
    const viewer = join(hub);
    await passed(0);
    read.mockRejectedValue(new Error('Redis is away'));
    const newcomer = join(hub);
    await passed(5_000);
    expect(viewer.ended || viewer.destroyed).toBe(false);
    expect(newcomer.events()).toEqual([]);
    expect(lines).toEqual(['The live state cannot be read. Viewers keep the last one.']);

    read.mockResolvedValue({ ...state, stock: [{ couponId: 'c1', remaining: 3 }] });
    await passed(250);
    expect(viewer.events()).toHaveLength(2);
    expect(newcomer.events()).toHaveLength(1);
    expect(lines[1]).toBe('The live state can be read again.');
  });
});

describe('a `stale` event', () => {
  const STALE = 'event: stale\ndata: {}\n\n';
  const count = ({ chunks }: FakeViewer, start: string) =>
    chunks.filter((chunk) => chunk.toString().startsWith(start)).length;

  test('comes from the second failed read on, and an `alive` event ends the outage although nothing changed', async () => {
    const { hub, read, state } = liveHub();
    const viewer = join(hub);
    await passed(0);
    read.mockRejectedValue(new Error('Redis is away'));
    await passed(250);
    expect(viewer.text()).not.toContain(STALE);
    await passed(250);
    expect(count(viewer, STALE)).toBe(1);
    const alive = count(viewer, 'event: alive');
    read.mockResolvedValue(structuredClone(state));
    await passed(250);
    expect(count(viewer, 'event: alive')).toBe(alive + 1);
    expect(viewer.events()).toHaveLength(1);
  });

  test('comes at once to a viewer that connects during an outage, and at least every 5 s', async () => {
    const { hub, read } = liveHub();
    join(hub);
    read.mockRejectedValue(new Error('Redis is away'));
    await passed(1_000);
    const viewer = join(hub);
    expect(viewer.text()).toContain(STALE);
    await passed(10_000);
    expect(count(viewer, STALE)).toBeGreaterThanOrEqual(3);
  });

  test('of an outage that ended without viewers does not come to the next viewer', async () => {
    const { hub, read, state } = liveHub();
    const viewer = join(hub);
    read.mockRejectedValue(new Error('Redis is away'));
    await passed(1_000);
    viewer.emit('close');
    read.mockResolvedValue(structuredClone(state));
    const next = join(hub);
    await passed(10_000);
    expect(count(next, STALE)).toBe(0);
    expect(next.events()).toHaveLength(1);
  });

  test('one failed read sends none', async () => {
    const { hub, read } = liveHub();
    const viewer = join(hub);
    await passed(0);
    read.mockRejectedValueOnce(new Error('slow'));
    await passed(10_000);
    expect(count(viewer, STALE)).toBe(0);
  });
});

test('a changed limit of one visitor is a change', async () => {
  const { hub, state } = liveHub();
  const viewer = join(hub);
  await passed(0);
  state.levels = [
    { policy: 'p', level: 'user', algorithm: 'sliding-log', limit: 2, windowMs: 10_000, mode: 'enforce' },
  ];
  await passed(250);
  expect(viewer.events()).toHaveLength(2);
});

test('a ban that begins or ends, and a changed coupon, are changes', async () => {
  const { hub, state } = liveHub();
  const viewer = join(hub);
  await passed(0);
  for (const change of [{ bans: 1 }, { bans: 0 }, { couponsVersion: 'b' }]) {
    Object.assign(state, change);
    await passed(250);
    expect(viewer.events().at(-1)).toMatchObject(change);
  }
  expect(viewer.events()).toHaveLength(4);
});

describe('stock', () => {
  const stockOf = (viewer: FakeViewer) => viewer.events().map(({ stock }) => stock);

  test('is that of the named coupons in the first event, then that of the changed ones, for all viewers', async () => {
    const { hub, state, gates } = liveHub();
    gates.set('a', 5).set('b', 7);
    const [named, other] = [join(hub, { couponIds: ['a', 'b', 'none'] }), join(hub)];
    await passed(0);
    state.stock = toStock('a', 5);
    await passed(250);
    state.stock = [...toStock('a', 4), ...toStock('c', 1)];
    await passed(250);
    await passed(250);
    const changed = [...toStock('a', 4), ...toStock('c', 1)];
    expect(stockOf(named)).toEqual([[...toStock('a', 5), ...toStock('b', 7)], changed]);
    expect(stockOf(other)).toEqual([[], changed]);
  });

  test('that changes while the first event is read is not lost', async () => {
    const { hub, state, readStock } = liveHub();
    join(hub);
    await passed(0);
    let sendStock: () => void = () => undefined;
    readStock.mockImplementationOnce(
      () => new Promise((resolve) => (sendStock = () => resolve(toStock('a', 5)))),
    );
    const viewer = join(hub, { couponIds: ['a'] });
    state.stock = toStock('a', 4);
    await passed(300);
    sendStock();
    await passed(300);
    expect(stockOf(viewer).flat().at(-1)).toEqual({ couponId: 'a', remaining: 4 });
  });

  test('of 2,000 rebuilt gates comes in events of at most 4 kB that follow each other, with the latest of each coupon', async () => {
    const { hub, state } = liveHub();
    const viewer = join(hub);
    await passed(0);
    const ids = Array.from({ length: 2_000 }, (_, n) => `${'c'.repeat(60)}${n}`);
    state.stock = ids.flatMap((couponId) => toStock(couponId, 100));
    await passed(250);
    state.stock = [...toStock(ids.at(-1) ?? '', 99), ...toStock('sells', 1)];
    await passed(20_000);
    const [first, ...events] = viewer.events();
    const sizes = viewer.chunks
      .filter((chunk) => chunk.includes('event: windows'))
      .map(({ length }) => length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096);
    expect(events.flatMap(({ stock }) => stock)).toEqual([
      ...ids.slice(0, -1).flatMap((couponId) => toStock(couponId, 100)),
      ...state.stock,
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual(
      events.map((_, n) => (first?.sequence ?? 0) + n + 1),
    );
  });

  test('of events that follow each other has one sequence; after a gap a number is missing', async () => {
    const { hub, state } = liveHub();
    const viewer = join(hub);
    await passed(0);
    for (const remaining of [3, 2, 1]) {
      state.stock = toStock('a', remaining);
      await passed(250);
    }
    join(hub);
    state.stockGaps += 1;
    await passed(250);
    const sequences = viewer.events().map(({ sequence }) => sequence - (viewer.events()[0]?.sequence ?? 0));
    expect(sequences).toEqual([0, 1, 2, 3, 5]);
    expect(stockOf(viewer).at(-1), 'may have been lost').toEqual(toStock('a', 1));
  });
});

test('levels are in the first event and after a change only', async () => {
  const { hub, state } = liveHub();
  const viewer = join(hub);
  await passed(0);
  state.bans = 1;
  await passed(250);
  state.levels = [
    { policy: 'p', level: 'user', algorithm: 'sliding-log', limit: 2, windowMs: 10_000, mode: 'enforce' },
  ];
  await passed(250);
  expect(viewer.events().map(({ levels }) => levels?.length)).toEqual([0, undefined, 1]);
});

test('close ends all streams, also one that is opened later', async () => {
  const { hub } = liveHub();
  const viewers = [join(hub), join(hub)];
  await passed(0);
  hub.close();
  const late = join(hub);
  for (const viewer of [...viewers, late]) expect(viewer.ended).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('a stream ends within 15 s after its viewer loses access, and no other stream ends', async () => {
  const { hub, viewerCounts } = liveHub();
  let isAllowed = true;
  const dismissed = join(hub, { isAllowed: () => isAllowed });
  const other = join(hub);
  await passed(15_000);
  expect(dismissed.ended).toBe(false);
  isAllowed = false;
  await passed(15_000);
  expect([dismissed.ended, other.ended]).toEqual([true, false]);
  expect(viewerCounts).toEqual([1, 2, 1]);
});

test('a viewer that disconnects while the state is being read gets no further write', async () => {
  const { hub } = liveHub();
  const viewer = join(hub);
  viewer.emit('close');
  await passed(1_000);
  expect(viewer.chunks).toHaveLength(1);
});

const full: Omit<LiveState['windows'][number], 'retryAfterMs'> = {
  policy: 'coupon.seckill',
  level: 'global',
  algorithm: 'sliding-log',
  limit: 1,
  windowMs: 1_000,
  used: 1,
  remaining: 0,
  hits: [5],
  mode: 'enforce',
};

function stateAt(serverNow: number): LiveState {
  return {
    ...{ serverNow, windows: [], rates: [], stock: [], queues: [], levels: [] },
    ...{ bans: 0, couponsVersion: 'a', stockGaps: 1 },
  };
}

function liveHub() {
  const state = stateAt(1);
  const read = vi.fn(async () => structuredClone(state));
  const viewerCounts: number[] = [];
  const lines: string[] = [];
  const gates = new Map<string, number>();
  const readStock = vi.fn(async (ids: readonly string[]) =>
    ids.flatMap((couponId) => toStock(couponId, gates.get(couponId))),
  );
  const hub = createLiveHub({
    read,
    readStock,
    onViewers: (count) => viewerCounts.push(count),
    log: {
      warn: (_fields: object, line?: string) => lines.push(line ?? ''),
      info: (line: string) => lines.push(line),
    },
  });
  return { hub, read, state, gates, readStock, viewerCounts, lines };
}

function toStock(couponId: string, remaining: number | undefined): LiveEvent['stock'] {
  return remaining === undefined ? [] : [{ couponId, remaining }];
}

class FakeViewer extends EventEmitter {
  chunks: Buffer[] = [];
  writableLength = 0;
  ended = false;
  destroyed = false;
  write(chunk: Buffer): boolean {
    this.chunks.push(chunk);
    return true;
  }
  end(): void {
    this.ended = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
  text(): string {
    return Buffer.concat(this.chunks).toString();
  }
  events(): LiveEvent[] {
    return [...this.text().matchAll(/^event: windows\ndata: (.*)\n\n/gm)].map(([, data]) =>
      JSON.parse(data ?? ''),
    );
  }
}

function join(hub: EventHub, options?: ViewerOptions): FakeViewer {
  const viewer = new FakeViewer();
  hub.add(viewer, options);
  return viewer;
}

/** Lets time pass, and with it every promise that waits for nothing but time. */
async function passed(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}
