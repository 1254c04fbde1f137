import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StreamMessage } from './event-stream';
import { createLiveFeed } from './live-feed';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the stream is open while there are listeners and the tab is visible', () => {
  const { feed, stream, setVisibility } = liveFeed();
  expect(stream.open).not.toHaveBeenCalled();
  const leave = feed.subscribe(() => undefined);
  expect(stream.open).toHaveBeenCalledTimes(1);
  setVisibility('hidden');
  expect(stream.close).toHaveBeenCalledTimes(1);
  setVisibility('visible');
  expect(stream.open).toHaveBeenCalledTimes(2);
  leave();
  expect(stream.close).toHaveBeenCalledTimes(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('an event makes the feed live and sets the clock', () => {
  const { feed, send, observed } = liveFeed();
  feed.subscribe(() => undefined);
  expect(feed.snapshot().status).toBe('connecting');
  send('state', event({ serverNow: 10_000 }));
  expect(feed.snapshot()).toMatchObject({ status: 'live', event: { serverNow: 10_000 } });
  expect(observed).toEqual([10_000]);
});

test('the age of a message is added to its time', () => {
  const { feed, send, observed } = liveFeed();
  feed.subscribe(() => undefined);
  send('state', event({ serverNow: 10_000 }), 30_000);
  expect(observed).toEqual([40_000]);
});

test('a heartbeat every five seconds keeps an idle feed live', () => {
  const { feed, send, stream } = liveFeed();
  feed.subscribe(() => undefined);
  send('state', event({ serverNow: 10_000 }));
  for (let seconds = 5; seconds <= 60; seconds += 5) {
    vi.advanceTimersByTime(5_000);
    send('alive', { serverNow: 10_000 + seconds * 1_000 });
  }
  expect(feed.snapshot().status).toBe('live');
  expect(stream.open).toHaveBeenCalledTimes(1);
});

test('a heartbeat without a clock does not count', () => {
  const { feed, send } = liveFeed();
  feed.subscribe(() => undefined);
  send('state', event({ serverNow: 10_000 }));
  vi.advanceTimersByTime(5_000);
  send('alive', {});
  vi.advanceTimersByTime(4_000);
  expect(feed.snapshot().status).toBe('stale');
});

describe('the feed becomes stale, keeps its snapshot and reconnects', () => {
  test('after nine seconds of silence', () => {
    const { feed, send, stream } = liveFeed();
    feed.subscribe(() => undefined);
    send('state', event({ serverNow: 10_000 }));
    vi.advanceTimersByTime(8_999);
    expect(feed.snapshot().status).toBe('live');
    vi.advanceTimersByTime(1);
    expect(feed.snapshot()).toMatchObject({ status: 'stale', event: { serverNow: 10_000 } });
    expect(stream.open).toHaveBeenCalledTimes(2);
  });

  test('four seconds after a hit should have left its window', () => {
    const { feed, send } = liveFeed();
    feed.subscribe(() => undefined);
    send('state', event({ serverNow: 10_000, hits: [1_000] }));
    vi.advanceTimersByTime(4_999);
    expect(feed.snapshot().status).toBe('live');
    vi.advanceTimersByTime(1);
    expect(feed.snapshot().status).toBe('stale');
  });

  test('when the connection is lost, until the next event', () => {
    const { feed, send, lose } = liveFeed();
    feed.subscribe(() => undefined);
    send('state', event({ serverNow: 10_000 }));
    lose();
    expect(feed.snapshot().status).toBe('stale');
    send('state', event({ serverNow: 11_000 }));
    expect(feed.snapshot().status).toBe('live');
  });
});

test('an unreadable state makes the feed stale at once, and the next event or heartbeat makes it live', () => {
  const { feed, send, stream } = liveFeed();
  feed.subscribe(() => undefined);
  send('state', event({ serverNow: 10_000 }));
  send('stale', {});
  expect(feed.snapshot()).toMatchObject({
    status: 'stale',
    isUnknown: true,
    event: { serverNow: 10_000 },
  });
  send('alive', { serverNow: 11_000 });
  expect(feed.snapshot()).toMatchObject({ status: 'live', isUnknown: false });
  send('stale', {});
  send('state', event({ serverNow: 12_000 }));
  expect(feed.snapshot()).toMatchObject({ status: 'live', isUnknown: false });
  expect(stream.open).toHaveBeenCalledTimes(1);
});

test('a lost connection says nothing about the state of the server', () => {
  const { feed, send, lose } = liveFeed();
  feed.subscribe(() => undefined);
  send('state', event({ serverNow: 10_000 }));
  lose();
  expect(feed.snapshot()).toMatchObject({ status: 'stale', isUnknown: false });
});

test('a silence, or a second loss without an event in between, makes the state unknown until the next event', () => {
  const { feed, send, lose } = liveFeed();
  feed.subscribe(() => undefined);
  send('state', event({ serverNow: 10_000 }));
  vi.advanceTimersByTime(9_000);
  expect(feed.snapshot()).toMatchObject({ status: 'stale', isUnknown: true });
  send('state', event({ serverNow: 20_000 }));
  expect(feed.snapshot()).toMatchObject({ status: 'live', isUnknown: false });
  lose();
  lose();
  expect(feed.snapshot()).toMatchObject({ status: 'stale', isUnknown: true });
  send('state', event({ serverNow: 21_000 }));
  expect(feed.snapshot()).toMatchObject({ status: 'live', isUnknown: false });
});

describe('a lost connection', () => {
  /** Returns the delays of the next connections in ms, each of which is lost at once. */
  function delaysOf({ stream, lose }: ReturnType<typeof liveFeed>, retryAfterMs: number[]): number[] {
    return retryAfterMs.map((retryMs) => {
      const opened = stream.open.mock.calls.length;
      lose(retryMs);
      const start = Date.now();
      while (stream.open.mock.calls.length === opened) vi.advanceTimersByTime(100);
      return Date.now() - start;
    });
  }

  test('is opened again within 2 s, then after a delay that doubles up to 32 s, until an event arrives', () => {
    const feed = liveFeed();
    feed.feed.subscribe(() => undefined);
    const bounds = [1, 2, 4, 8, 16, 16, 16];
    for (const [index, ms] of delaysOf(feed, Array(7).fill(0)).entries()) {
      expect(ms).toBeGreaterThanOrEqual(1_000 * (bounds[index] ?? 0));
      expect(ms).toBeLessThanOrEqual(2_000 * (bounds[index] ?? 0) + 100);
    }
    feed.send('state', event({ serverNow: 10_000 }));
    expect(delaysOf(feed, [0])[0]).toBeLessThanOrEqual(2_100);
  });

  test('is not opened before the time that the server names', () => {
    const feed = liveFeed();
    feed.feed.subscribe(() => undefined);
    for (const ms of delaysOf(feed, [10_000, 10_000])) expect(ms).toBeGreaterThanOrEqual(10_000);
  });

  test('of a visitor who has to sign in is not opened again until the tab is shown again', () => {
    const { feed, stream, send, refuse, setVisibility } = liveFeed();
    feed.subscribe(() => undefined);
    send('state', event({ serverNow: 10_000 }));
    refuse();
    vi.advanceTimersByTime(600_000);
    expect(feed.snapshot().status).toBe('refused');
    expect(stream.open).toHaveBeenCalledTimes(1);
    expect(stream.close).toHaveBeenCalledTimes(1);
    setVisibility('hidden');
    setVisibility('visible');
    expect(stream.open).toHaveBeenCalledTimes(2);
  });
});

test('a stream that never sends an event, such as a blocked one, leaves the state as rendered', () => {
  const { feed, lose } = liveFeed();
  feed.subscribe(() => undefined);
  vi.advanceTimersByTime(9_000);
  lose();
  lose();
  vi.advanceTimersByTime(9_000);
  expect(feed.snapshot()).toMatchObject({ status: 'stale', isUnknown: false });
});

test('unchanged levels keep their identity', () => {
  const { feed, send } = liveFeed();
  feed.subscribe(() => undefined);
  const level = {
    policy: 'p',
    level: 'user',
    algorithm: 'sliding-log',
    limit: 5,
    windowMs: 10_000,
    mode: 'enforce',
  };
  send('state', { ...event({ serverNow: 10_000 }), levels: [level] });
  const { levels } = feed.snapshot().event ?? {};
  send('state', { ...event({ serverNow: 11_000 }), levels: [level] });
  expect(feed.snapshot().event?.levels).toBe(levels);
  send('state', { ...event({ serverNow: 12_000 }), levels: [{ ...level, limit: 2 }] });
  expect(feed.snapshot().event?.levels).toMatchObject([{ limit: 2 }]);
});

test('refusals during an interruption are not shown as new', () => {
  const { feed, send, lose } = liveFeed();
  feed.subscribe(() => undefined);
  send('state', event({ serverNow: 10_000, refused: 1 }));
  send('state', event({ serverNow: 10_250, refused: 4 }));
  expect(feed.snapshot().refused).toEqual({ 'p:global': [{ at: 10_250, count: 3 }] });
  lose();
  send('state', event({ serverNow: 15_000, refused: 900 }));
  expect(feed.snapshot().refused).toEqual({ 'p:global': [{ at: 10_250, count: 3 }] });
});

function liveFeed() {
  const stream = { open: vi.fn(), close: vi.fn() };
  const observed: number[] = [];
  let onMessage: ((message: StreamMessage) => void) | undefined;
  const feed = createLiveFeed({ observe: (serverNow) => observed.push(serverNow) }, (given) => {
    onMessage = given;
    return stream;
  });
  return {
    feed,
    stream,
    observed,
    send: (kind: 'state' | 'alive' | 'stale', data: object, ageMs = 0) =>
      onMessage?.({ kind, data: JSON.stringify(data), ageMs }),
    lose: (retryAfterMs = 0) => onMessage?.({ kind: 'lost', retryAfterMs }),
    refuse: () => onMessage?.({ kind: 'refused' }),
    setVisibility(visibilityState: 'hidden' | 'visible') {
      Object.assign(document, { visibilityState });
      document.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

function event({
  serverNow,
  hits = [],
  refused = 0,
}: {
  serverNow: number;
  hits?: number[];
  refused?: number;
}) {
  return {
    serverNow,
    windows: [{ policy: 'p', level: 'global', limit: 100, windowMs: 10_000, used: hits.length, hits }],
    rates: [{ policy: 'p', level: 'global', refused, banned: 0 }],
    stock: [],
  };
}

describe('stock', () => {
  const stockOf = ({ feed }: ReturnType<typeof liveFeed>) => Object.fromEntries(feed.snapshot().stock);
  const sendStock = (
    { send }: ReturnType<typeof liveFeed>,
    [sequence, stock]: [sequence: number, stock: Record<string, number>],
  ) =>
    send('state', {
      ...{ ...event({ serverNow: 10_000 + sequence }), sequence },
      stock: Object.entries(stock).map(([couponId, remaining]) => ({ couponId, remaining })),
    });

  test('of events that follow each other is merged, also if a tab gets one of them twice', () => {
    const feed = liveFeed();
    feed.feed.subscribe(() => undefined);
    sendStock(feed, [7, { a: 3, b: 9 }]);
    sendStock(feed, [8, { a: 2 }]);
    sendStock(feed, [8, { a: 2 }]);
    sendStock(feed, [9, { c: 1 }]);
    expect(stockOf(feed)).toEqual({ a: 2, b: 9, c: 1 });
    expect(feed.feed.snapshot().completeSince).toBe(10_007);
  });

  test('is that of the newest event alone after a lost one, from which on it is complete', () => {
    const feed = liveFeed();
    feed.feed.subscribe(() => undefined);
    sendStock(feed, [7, { a: 3, b: 9 }]);
    sendStock(feed, [9, { a: 1 }]);
    expect(stockOf(feed)).toEqual({ a: 1 });
    expect(feed.feed.snapshot().completeSince).toBe(10_009);
  });

  test('of unchanged coupons keeps its identity', () => {
    const feed = liveFeed();
    feed.feed.subscribe(() => undefined);
    sendStock(feed, [7, { a: 3 }]);
    const { stock } = feed.feed.snapshot();
    sendStock(feed, [8, {}]);
    expect(feed.feed.snapshot().stock).toBe(stock);
  });
});

test('an event without levels has those of the last one', () => {
  const { feed, send } = liveFeed();
  feed.subscribe(() => undefined);
  const level = {
    policy: 'p',
    level: 'user',
    algorithm: 'sliding-log',
    limit: 5,
    windowMs: 1,
    mode: 'enforce',
  };
  send('state', { ...event({ serverNow: 10_000 }), levels: [level], sequence: 1 });
  send('state', { ...event({ serverNow: 10_250 }), sequence: 2 });
  expect(feed.snapshot().event?.levels).toEqual([level]);
});

describe('an event', () => {
  const window = {
    ...{ policy: 'coupon.seckill', level: 'global' },
    ...{ limit: 100, windowMs: 10_000, used: 1, hits: [9_000] },
  };
  const rate = { policy: 'coupon.seckill', level: 'global', refused: 3, banned: 0 };
  const valid = {
    serverNow: 10_000,
    windows: [window],
    rates: [rate],
    stock: [{ couponId: 'a', remaining: 3 }],
  };

  test('of an older node has no levels and no queues; its windows get the time of the event', () => {
    const { feed, send } = liveFeed();
    feed.subscribe(() => undefined);
    send('state', valid);
    const windows = [{ ...window, readAt: 10_000 }];
    expect(feed.snapshot().event).toEqual({ ...valid, windows, levels: [], queues: [] });
  });

  test.each([
    ['that is not an object', [7]],
    ['without a clock', { ...valid, serverNow: undefined }],
    ['with a window without hits', { ...valid, windows: [{ ...window, hits: undefined }] }],
    ['with a hit that is no number', { ...valid, windows: [{ ...window, hits: ['9000'] }] }],
    ['with a rate without a level', { ...valid, rates: [{}] }],
    ['with a level without a limit', { ...valid, levels: [{ policy: 'p', level: 'user' }] }],
    ['with a queue without a length', { ...valid, queues: [{ policy: 'p', level: 'global', version: 1 }] }],
    ['with stock without a coupon', { ...valid, stock: [{}] }],
  ])('%s counts as silence', (_, data) => {
    const { feed, send } = liveFeed();
    feed.subscribe(() => undefined);
    send('state', data);
    expect(feed.snapshot()).toMatchObject({ status: 'connecting', event: undefined });
  });
});
