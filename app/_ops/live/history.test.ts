import { expect, test } from 'vitest';
import { HISTORY_MS, mergeHistory } from './history';
import type { HistoryPoint } from './ops-event';

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
