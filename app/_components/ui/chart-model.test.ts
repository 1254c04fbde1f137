import uPlot from 'uplot';
import { expect, test } from 'vitest';
import { widestLabel } from './chart-model';

const formatY = (value: number) => `${value}/s`;

test('a single chart reserves no room for the labels of others', () => {
  expect(widestLabel({ formatY })).toBe('');
});

test('the charts of a column reserve the room of the highest label of any of them', () => {
  for (let highest = 1; highest <= 20_000; highest += 1) {
    // The top of the axis, as in chart-plot.ts.
    const top = uPlot.rangeNum(0, highest, 0.1, true)[1] ?? 0;
    const room = widestLabel({ highestInColumn: highest, formatY }).length;
    expect(room, String(highest)).toBeGreaterThanOrEqual(formatY(Math.floor(top)).length);
  }
});
