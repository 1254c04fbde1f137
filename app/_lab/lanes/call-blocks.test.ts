import { expect, test } from 'vitest';
import { countColumns, drawStacks, drawStrokes } from './call-blocks';

// Four columns of 7 px, 25 ms each.
const axis = { spanMs: 100, widthPx: 28 };

test('a call is in the column of its time, and the end of the span in the last column', () => {
  expect(countColumns([0, 24, 25, 99, 100], axis)).toEqual([2, 1, 0, 2]);
});

test('few calls are one block each, stacked away from the line', () => {
  const stacks = { columns: [2, 0, 1], maxCount: 2, heightPx: 49, widthPx: 21 };
  expect(drawStacks({ ...stacks, basePx: 50, direction: 'up' })).toBe(
    'M0 44h6v6h-6zM0 37h6v6h-6zM14 44h6v6h-6z',
  );
  expect(drawStacks({ ...stacks, basePx: 50, direction: 'down', isHollow: true })).toBe(
    'M0.5 50.5h5v5h-5zM0.5 57.5h5v5h-5zM14.5 50.5h5v5h-5z',
  );
});

test('many calls are one bar for each column, and the fullest has full height', () => {
  const stacks = { columns: [100, 50], maxCount: 100, heightPx: 49, widthPx: 14, basePx: 50 };
  expect(drawStacks({ ...stacks, direction: 'up' })).toBe('M0 1h6v49h-6zM7 25.5h6v24.5h-6z');
});

test('strokes on the same pixel are merged', () => {
  expect(drawStrokes([0, 1, 50], { ...axis, top: 3, height: 4 })).toBe('M0 3v4M14 3v4');
});
