import { expect, test } from 'vitest';
import { createCountAxis, listTimes } from './chart-ticks';

test.each([
  { from: 0, to: 30_000, times: [0, 10_000, 20_000, 30_000] },
  // 60 s / 4 = 15 s.
  { from: 0, to: 60_000, times: [0, 15_000, 30_000, 45_000, 60_000] },
  // Ten minutes in steps of three, at the minutes of the clock.
  { from: 95_000, to: 695_000, times: [180_000, 360_000, 540_000] },
  { from: 0, to: 1_000, times: [0, 500, 1_000] },
  { from: 7_000, to: 7_000, times: [7_000] },
  // The step is the shortest.
  { from: 7_010, to: 7_010, times: [] },
])('the axis from $from to $to ms has round times', ({ from, to, times }) => {
  expect(listTimes(from, to)).toEqual(times);
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
