import { expect, test } from 'vitest';
import { widestLabel } from './chart-model';
import { createCountAxis } from './chart-ticks';

const formatY = (value: number) => `${value}/s`;
const height = 120;

test('a single chart reserves no room for the labels of others', () => {
  expect(widestLabel({ height, formatY })).toBe('');
});

test('the charts of a column reserve the room of the highest label of any of them', () => {
  let longest = 0;
  for (let highest = 1; highest <= 20_000; highest += 1) {
    const last = createCountAxis(highest, { height }).ticks.at(-1) ?? 0;
    longest = Math.max(longest, formatY(last).length);
    const room = widestLabel({ highestInColumn: highest, height, formatY }).length;
    expect(room, String(highest)).toBeGreaterThanOrEqual(longest);
  }
});
