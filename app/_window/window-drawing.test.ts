import { expect, test } from 'vitest';
import { drawWindow } from './window-drawing';

const empty = { limit: 100, windowMs: 10_000, used: 0, hits: [] };

test.each([
  ['of this instant is in the middle', 50_000, 1_000],
  ['as old as the window is at the left edge', 40_000, 0],
  ['one window later is at the right edge', 60_000, 2_000],
  ['in between is placed in proportion', 47_500, 750],
])('a hit %s', (_, hit, x) => {
  expect(drawWindow({ ...empty, used: 1, hits: [hit] }, { base: 50_000 }).path).toBe(`M${x} 100v-40`);
});

test('overlapping hits are drawn as one tick that grows with their number', () => {
  const heights = [2, 3, 10, 25, 200].map((used) => {
    const hits = Array.from({ length: used }, () => 50_000);
    return drawWindow({ ...empty, used, hits }, { base: 50_000 }).path.match(/^M1007.1 100v-([\d.]+)$/)?.[1];
  });
  // 40 + 50 × √((hits − 1) / 24)
  expect(heights).toEqual(['50.2', '54.4', '70.6', '90', '90']);
});

test('a burst shows its number; a steady flow does not', () => {
  const burst = Array.from({ length: 60 }, (_, index) => 50_000 + index * 5);
  expect(drawWindow({ ...empty, used: 60, hits: burst }, { base: 50_000 }).bursts).toEqual([
    { at: 50_000, position: 0.5, count: 60 },
  ]);
  const flow = Array.from({ length: 60 }, (_, index) => 50_000 + index * 50);
  expect(drawWindow({ ...empty, used: 60, hits: flow }, { base: 50_000 }).bursts).toEqual([]);
});

test('two bursts whose numbers would overlap share one', () => {
  const window = { ...empty, limit: 5, used: 5 };
  const burstsAt = (...hits: number[]) =>
    drawWindow({ ...window, hits }, { base: 50_000 }).bursts.map(({ count }) => count);
  expect(burstsAt(50_000, 50_010, 50_500, 50_510, 50_520)).toEqual([5]);
  expect(burstsAt(50_000, 50_010, 52_000, 52_010, 52_020)).toEqual([2, 3]);
});

test('200 hits are ticks, more are 50 bins', () => {
  const hits = Array.from({ length: 200 }, (_, index) => 58_000 + index * 10);
  expect(drawWindow({ ...empty, limit: 500, used: 200, hits }, { base: 50_000 }).kind).toBe('ticks');
  const bins = drawWindow({ ...empty, limit: 500, used: 400, hits }, { base: 50_000 });
  expect(bins.kind).toBe('bins');
  expect(bins.path.match(/z/g)).toHaveLength(50);
});

test('bins keep their instants while the drawing moves on', () => {
  const hits = Array.from({ length: 200 }, (_, index) => 50_000 + index * 10);
  const window = { ...empty, limit: 500, used: 201, hits };
  const positions = (base: number) =>
    [...drawWindow(window, { base }).path.matchAll(/M([\d.]+)/g)].map(([, x]) => Number(x));
  const moved = positions(51_000);
  expect(positions(50_000).map((x) => x - 100)).toEqual(moved);
});

test('an empty window has an empty drawing', () => {
  expect(drawWindow(empty, { base: 50_000 })).toEqual({ kind: 'ticks', path: '', bursts: [] });
});

test('a bucket has an empty drawing, because its hits are unknown', () => {
  for (const used of [1, 150, 5_000]) {
    expect(drawWindow({ ...empty, limit: 5_000, used }, { base: 50_000 })).toEqual({
      kind: 'ticks',
      path: '',
      bursts: [],
    });
  }
});
