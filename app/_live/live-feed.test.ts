import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StreamHandlers, StreamMessage } from './event-stream';
import { createLiveFeed, parseLiveEvent } from './live-feed';

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
  expect(stream.reopen).not.toHaveBeenCalled();
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
    expect(stream.reopen).toHaveBeenCalledTimes(1);
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
  expect(stream.reopen).not.toHaveBeenCalled();
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
  const stream = { open: vi.fn(), close: vi.fn(), reopen: vi.fn() };
  const observed: number[] = [];
  let handlers: StreamHandlers | undefined;
  const feed = createLiveFeed({
    onServerNow: (serverNow) => observed.push(serverNow),
    createStream(given) {
      handlers = given;
      return stream;
    },
  });
  return {
    feed,
    stream,
    observed,
    send: (kind: StreamMessage['kind'], data: object, ageMs = 0) =>
      handlers?.onMessage({ kind, data: JSON.stringify(data), ageMs }),
    lose: () => handlers?.onLost(),
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

describe('parseLiveEvent', () => {
  const window = {
    policy: 'coupon.seckill',
    level: 'global',
    limit: 100,
    windowMs: 10_000,
    used: 1,
    hits: [9_000],
  };
  const rate = { policy: 'coupon.seckill', level: 'global', refused: 3, banned: 0 };
  const event = {
    serverNow: 10_000,
    windows: [window],
    rates: [rate],
    stock: [{ couponId: 'a', remaining: 3 }],
  };

  test('a valid event is parsed; its windows get the time of the event', () => {
    expect(parseLiveEvent(JSON.stringify(event))).toEqual({
      serverNow: 10_000,
      windows: [{ ...window, readAt: 10_000 }],
      rates: [rate],
      stock: [{ couponId: 'a', remaining: 3 }],
      levels: [],
      queues: [],
    });
  });

  test.each([
    ['not JSON', '{'],
    ['not an object', '7'],
    ['no clock', JSON.stringify({ ...event, serverNow: undefined })],
    ['a window without hits', JSON.stringify({ ...event, windows: [{ ...window, hits: undefined }] })],
    ['a hit that is no number', JSON.stringify({ ...event, windows: [{ ...window, hits: ['9000'] }] })],
    ['a rate without a level', JSON.stringify({ ...event, rates: [{}] })],
    ['a level without a limit', JSON.stringify({ ...event, levels: [{ policy: 'p', level: 'user' }] })],
    ['stock without a coupon', JSON.stringify({ ...event, stock: [{}] })],
  ])('%s is not an event', (_, text) => {
    expect(parseLiveEvent(text)).toBeUndefined();
  });
});
