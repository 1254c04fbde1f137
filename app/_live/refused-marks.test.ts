import { expect, test } from 'vitest';
import { marksAfter, refusedSince } from './refused-marks';

const event = (serverNow: number, refused: number, banned = 0) => ({
  serverNow,
  windows: [],
  rates: [{ policy: 'p', level: 'global', refused, banned }],
  stock: [],
});

test('totals that grew are marks of the newer event', () => {
  const marks = marksAfter({}, { last: event(1_000, 5), next: event(1_250, 7, 1) });
  expect(marks).toEqual({ 'p:global': [{ at: 1_250, count: 3 }] });
});

test('the first totals tell of the past, not of now', () => {
  expect(marksAfter({}, { last: undefined, next: event(1_000, 500) })).toEqual({});
});

test('where nothing was refused, nothing changes', () => {
  const before = { 'p:global': [{ at: 1_000, count: 1 }] };
  expect(marksAfter(before, { last: event(1_000, 5), next: event(1_250, 5) })).toBe(before);
});

test('marks are forgotten a minute later', () => {
  const before = { 'p:global': [{ at: 1_000, count: 1 }] };
  const marks = marksAfter(before, { last: event(60_000, 5), next: event(61_000, 6) });
  expect(marks['p:global']).toEqual([{ at: 61_000, count: 1 }]);
});

test('a mark as old as the window is out of it', () => {
  const marks = [
    { at: 1_000, count: 4 },
    { at: 2_000, count: 3 },
  ];
  expect(refusedSince(marks, 999)).toBe(7);
  expect(refusedSince(marks, 1_000)).toBe(3);
});
