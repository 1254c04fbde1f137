import { expect, test } from 'vitest';
import { createCountAxis, listTicks } from './chart-ticks';

test.each([
  // 26 / 5 = 5.2, and the next round step is 10.
  { from: 0, to: 26, max: 5, ticks: [0, 10, 20] },
  { from: 0, to: 30_000, max: 4, ticks: [0, 10_000, 20_000, 30_000] },
  { from: 0, to: 1.1, max: 5, ticks: [0, 0.5, 1] },
  // As many intervals as the axis is long: 1.1 / 1.1 = 1, so the values are whole.
  { from: 0, to: 1.1, max: 1.1, ticks: [0, 1] },
  // The axis begins between two steps.
  { from: 95, to: 305, max: 4, ticks: [100, 200, 300] },
  { from: 7, to: 7, max: 4, ticks: [7] },
])('the axis from $from to $to has round values', ({ from, to, max, ticks }) => {
  expect(listTicks(from, to, max)).toEqual(ticks);
});

test.each([
  // 96 px of plot, so two intervals of at least 36 px.
  { highest: 8, height: 132, top: 10, ticks: [0, 5, 10] },
  { highest: 1, height: 132, top: 1.1, ticks: [0, 1] },
  // Room above a line at 100.
  { highest: 100, height: 132, top: 110, ticks: [0, 50, 100] },
  { highest: 26, height: 120, top: 40, ticks: [0, 20, 40] },
])('counts up to $highest in $height px have the axis $ticks', ({ highest, height, top, ticks }) => {
  const axis = createCountAxis(highest, { height });
  expect(axis.ticks).toEqual(ticks);
  expect(axis.top).toBeCloseTo(top);
});
