import { expect, test } from 'vitest';
import { drawQueue, drawWindow, listTurns, turnPosition } from './window-drawing';

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

const until = Number.POSITIVE_INFINITY;
const full = { limit: 3, windowMs: 10_000, used: 3, hits: [41_000, 44_000, 49_000] };

test('a ticket takes the place of a hit, or of the ticket that is as many places ahead as the limit', () => {
  const queue = { waiting: 4, nextTurnAt: 51_000, lastTurnAt: 61_025 };
  expect(listTurns(queue, { window: full, until })).toEqual([51_000, 54_000, 59_000, 61_000]);
});

test('after a lower limit, the first place frees when the hits above it have left', () => {
  const queue = { waiting: 2, nextTurnAt: 54_000, lastTurnAt: 59_000 };
  expect(listTurns(queue, { window: { ...full, limit: 2 }, until })).toEqual([54_000, 59_000]);
});

test('no turn is outside of the two instants of the feed', () => {
  const queue = { waiting: 3, nextTurnAt: 52_000, lastTurnAt: 55_000 };
  expect(listTurns(queue, { window: full, until })).toEqual([52_000, 54_000, 55_000]);
});

test('turns are spread evenly if the feed has a part of the hits', () => {
  const queue = { waiting: 3, nextTurnAt: 52_000, lastTurnAt: 56_000 };
  expect(listTurns(queue, { window: { ...full, limit: 500, used: 500 }, until })).toEqual([
    52_000, 54_000, 56_000,
  ]);
  const one = { waiting: 1, nextTurnAt: 52_000, lastTurnAt: 52_000 };
  expect(listTurns(one, { window: { ...full, used: 0, hits: [] }, until })).toEqual([52_000]);
});

test('of a long queue only the turns up to an instant are listed, and none of an empty one', () => {
  const queue = { waiting: 5_000, nextTurnAt: 51_000, lastTurnAt: 9_000_000 };
  expect(listTurns(queue, { window: full, until: 59_000 })).toEqual([51_000, 54_000, 59_000]);
  expect(listTurns({ waiting: 0, nextTurnAt: null, lastTurnAt: null }, { window: full, until })).toEqual([]);
});

test('the drawing is two windows wide from its base; the own turn is on the same scale', () => {
  const queue = { waiting: 3, nextTurnAt: 51_000, lastTurnAt: 59_000 };
  expect(drawQueue(queue, { window: full, base: 50_000 }).path).toBe('M100 100v-40M400 100v-40M900 100v-40');
  expect(turnPosition(54_000, { base: 50_000, windowMs: 10_000 })).toBe(0.2);
});

test('200 waiting tickets are drawn as one path', () => {
  const hits = Array.from({ length: 100 }, (_, index) => 40_000 + index * 100);
  const queue = { waiting: 200, nextTurnAt: 50_000, lastTurnAt: 69_925 };
  const { kind, path } = drawQueue(queue, {
    window: { limit: 100, windowMs: 10_000, used: 100, hits },
    base: 50_000,
  });
  expect(kind).toBe('ticks');
  expect(path.length).toBeLessThan(5_000);
});
