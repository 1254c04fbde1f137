import { expect, test } from 'vitest';
import {
  addServedSamples,
  HISTORY_MS,
  type HistoryPoint,
  mergeHistory,
  parseOpsEvent,
  type ServedSamples,
  servedPerSecond,
} from './ops-event';

const level = { policy: 'coupon.seckill', level: 'global' };
const window = {
  ...level,
  ...{ algorithm: 'sliding-log', limit: 100, windowMs: 10_000, used: 1, hits: [9_000] },
  ...{ retryAfterMs: 0, mode: 'enforce' },
};
const outcomes = { ...level, admitted: 1, refused: 2, banned: 0, degraded: 0 };
const alert = {
  ...{ id: 'a', rule: 'store-down', target: 'redis', raisedAt: 1, highSince: 1, value: 2, threshold: 1 },
  ...{ values: [2], spanMs: 1_000 },
};
const queue = {
  ...level,
  ...{ waiting: 3, nextTurnAt: 10_500, lastTurnAt: 12_000, version: 4, unfinished: 1, isClosed: false },
  ...{ served: 20, late: 2, longestLateMs: 900 },
};
const event = {
  serverNow: 10_000,
  stale: false,
  windows: [window, { ...window, level: 'user', subject: { ref: 'r', subject: '768…13' } }],
  rates: [outcomes],
  queues: [queue, { ...queue, waiting: 0, nextTurnAt: null, lastTurnAt: null }],
  leased: [{ ...level, idle: 7 }],
  bans: 0,
  history: [{ at: 9_000, levels: [outcomes], decisionMs: { 'coupon.seckill': 2.5 } }],
  latency: { p50Ms: 1, p99Ms: 4, decisions: 3 },
  health: {
    redis: { ok: true, detail: 'answers' },
    ledger: { ok: true, detail: '3 ms behind', findings: [{ code: 'lag', values: { lagMs: 3 } }] },
  },
  nodes: [{ node: 'n', viewers: 0, failing: [] }],
  viewers: 0,
  alerts: { active: [alert], recent: [{ ...alert, clearedAt: 2 }] },
};

test('a valid event is parsed; its windows get the time of the event', () => {
  const windows = event.windows.map((one) => ({ ...one, readAt: 10_000 }));
  expect(parseOpsEvent(JSON.stringify(event))).toEqual({ ...event, windows });
});

test.each(['queues', 'leased'] as const)('an event of a former server has no %s', (list) => {
  expect(parseOpsEvent(JSON.stringify({ ...event, [list]: undefined }))?.[list]).toEqual([]);
});

test('without decisions the latency is null', () => {
  expect(parseOpsEvent(JSON.stringify({ ...event, latency: null }))?.latency).toBeNull();
});

test.each([
  ['not JSON', '{'],
  ['no clock', JSON.stringify({ ...event, serverNow: undefined })],
  ['a window without a mode', JSON.stringify({ ...event, windows: [{ ...window, mode: undefined }] })],
  ['a second without its levels', JSON.stringify({ ...event, history: [{ at: 9_000 }] })],
  ['a count that is a text', JSON.stringify({ ...event, rates: [{ ...outcomes, refused: '2' }] })],
  ['a queue without a length', JSON.stringify({ ...event, queues: [{ ...queue, waiting: undefined }] })],
  [
    'an alert without a rule',
    JSON.stringify({ ...event, alerts: { active: [{ ...alert, rule: 1 }], recent: [] } }),
  ],
])('%s is not an event', (_what, text) => expect(parseOpsEvent(text)).toBeUndefined());

const point = (at: number, admitted = 1): HistoryPoint => ({
  at,
  levels: [{ policy: 'p', level: 'global', admitted, refused: 0, banned: 0, degraded: 0 }],
});
const serverNow = 1_000_000;

test('newer values of a second replace older ones', () => {
  const before = [point(1_000), point(2_000, 1)];
  const history = [point(2_000, 5), point(3_000)];
  expect(mergeHistory(before, { history, serverNow: 4_000 })).toEqual([point(1_000), ...history]);
});

test('a second that the event omits is removed', () => {
  const before = [point(1_000), point(2_000)];
  const history = [point(1_000), point(3_000)];
  expect(mergeHistory(before, { history, serverNow: 4_000 })).toEqual(history);
});

test('seconds older than the server keeps are removed', () => {
  const old = point(serverNow - HISTORY_MS - 1_000);
  const kept = point(serverNow - HISTORY_MS);
  const history = [point(serverNow - 1_000)];
  expect(mergeHistory([old, kept], { history, serverNow })).toEqual([kept, ...history]);
});

test('an event without changes keeps the list', () => {
  const before = [point(1_000), point(2_000)];
  expect(mergeHistory(before, { history: [point(2_000)], serverNow })).toBe(before);
  expect(mergeHistory(before, { history: [], serverNow })).toBe(before);
});

/** Adds events of [instant, total] and returns the rate. */
function rateOf(events: readonly (readonly [at: number, served: number])[]): number {
  let samples: ServedSamples = {};
  for (const [serverNow, served] of events) {
    samples = addServedSamples(samples, { queues: [{ ...queue, served }], serverNow });
  }
  return servedPerSecond(Object.values(samples)[0]);
}

test('the rate is that of the last ten seconds', () => {
  expect(
    rateOf([
      [1_000, 0],
      [2_000, 10],
      [3_000, 20],
    ]),
  ).toBe(10);
  expect(
    rateOf([
      [1_000, 0],
      [21_000, 500],
      [22_000, 504],
    ]),
  ).toBe(4);
});

test('without an interval the rate is 0', () => {
  expect(servedPerSecond()).toBe(0);
  expect(rateOf([[1_000, 7]])).toBe(0);
});

test('a total that fell starts anew', () => {
  expect(
    rateOf([
      [1_000, 900],
      [2_000, 3],
    ]),
  ).toBe(0);
  expect(
    rateOf([
      [1_000, 900],
      [2_000, 3],
      [3_000, 5],
    ]),
  ).toBe(2);
});
