import { expect, test } from 'vitest';
import { historyMs, mergeHistory } from './history';
import type { HistoryPoint } from './ops-event';

const point = (at: number, admitted = 1): HistoryPoint => ({
  at,
  levels: [{ policy: 'p', level: 'global', admitted, refused: 0, banned: 0, degraded: 0 }],
});
const serverNow = 1_000_000;

test('seconds that are told again replace what was known of them', () => {
  const before = [point(1_000), point(2_000, 1)];
  const history = [point(2_000, 5), point(3_000)];
  expect(mergeHistory(before, { history, serverNow: 4_000 })).toEqual([point(1_000), ...history]);
});

test('a second that was left out, since nothing was decided in it, does not come back', () => {
  const before = [point(1_000), point(2_000)];
  const history = [point(1_000), point(3_000)];
  expect(mergeHistory(before, { history, serverNow: 4_000 })).toEqual(history);
});

test('what is older than the server remembers goes', () => {
  const old = point(serverNow - historyMs - 1_000);
  const kept = point(serverNow - historyMs);
  const history = [point(serverNow - 1_000)];
  expect(mergeHistory([old, kept], { history, serverNow })).toEqual([kept, ...history]);
});

test('an event that tells nothing new leaves the list as it is', () => {
  const before = [point(1_000), point(2_000)];
  expect(mergeHistory(before, { history: [point(2_000)], serverNow })).toBe(before);
  expect(mergeHistory(before, { history: [], serverNow })).toBe(before);
});
