import { expect, test } from 'vitest';
import { addRefusalMarks, countRefusedSince } from './refusal-marks';

const event = (serverNow: number, refused: number, banned = 0) => ({
  serverNow,
  windows: [],
  rates: [{ policy: 'p', level: 'global', refused, banned }],
  stock: [],
});

test('growing totals add marks at the newer event', () => {
  const marks = addRefusalMarks({}, { last: event(1_000, 5), next: event(1_250, 7, 1) });
  expect(marks).toEqual({ 'p:global': [{ at: 1_250, count: 3 }] });
});

test('the first totals add no marks', () => {
  expect(addRefusalMarks({}, { last: undefined, next: event(1_000, 500) })).toEqual({});
});

test('without refusals the marks keep their identity', () => {
  const before = { 'p:global': [{ at: 1_000, count: 1 }] };
  expect(addRefusalMarks(before, { last: event(1_000, 5), next: event(1_250, 5) })).toBe(before);
});

test('marks expire after a minute', () => {
  const before = { 'p:global': [{ at: 1_000, count: 1 }] };
  const marks = addRefusalMarks(before, { last: event(60_000, 5), next: event(61_000, 6) });
  expect(marks['p:global']).toEqual([{ at: 61_000, count: 1 }]);
});

test('a mark as old as the window does not count', () => {
  const marks = [
    { at: 1_000, count: 4 },
    { at: 2_000, count: 3 },
  ];
  expect(countRefusedSince(marks, 999)).toBe(7);
  expect(countRefusedSince(marks, 1_000)).toBe(3);
});
