import { expect, test } from 'vitest';
import { drawWindow } from './window-drawing';

const empty = { limit: 100, windowMs: 10_000, used: 0, hits: [] };

test.each([
  ['of this instant stands in the middle', 50_000, 1_000],
  ['as old as the window stands at the left edge', 40_000, 0],
  ['that comes a window later stands at the right edge', 60_000, 2_000],
  ['in between stands in proportion', 47_500, 750],
])('a hit %s', (_, hit, place) => {
  expect(drawWindow({ ...empty, used: 1, hits: [hit] }, { base: 50_000 }).path).toBe(`M${place} 100v-44`);
});

test('hits of almost one instant stand higher, up to the brim', () => {
  const pair = drawWindow({ ...empty, used: 2, hits: [50_000, 50_001] }, { base: 50_000 });
  expect(pair.path).toBe('M1000 100v-51M1000.1 100v-51');
  const burst = drawWindow(
    { ...empty, used: 100, hits: Array.from({ length: 100 }, () => 50_000) },
    { base: 50_000 },
  );
  expect(burst.path).toMatch(/^(M1000 100v-90){100}$/);
});

test('200 hits are ticks, more are 50 bins', () => {
  const hits = Array.from({ length: 200 }, (_, place) => 58_000 + place * 10);
  expect(drawWindow({ ...empty, limit: 500, used: 200, hits }, { base: 50_000 }).kind).toBe('ticks');
  const bins = drawWindow({ ...empty, limit: 500, used: 400, hits }, { base: 50_000 });
  expect(bins.kind).toBe('bins');
  expect(bins.path.match(/z/g)).toHaveLength(50);
});

test('bins keep their instants while the drawing moves on', () => {
  const hits = Array.from({ length: 200 }, (_, place) => 50_000 + place * 10);
  const window = { ...empty, limit: 500, used: 201, hits };
  const places = (base: number) =>
    [...drawWindow(window, { base }).path.matchAll(/M([\d.]+)/g)].map(([, place]) => Number(place));
  const moved = places(51_000);
  expect(places(50_000).map((place) => place - 100)).toEqual(moved);
});

test('an empty window is an empty drawing', () => {
  expect(drawWindow(empty, { base: 50_000 })).toEqual({ kind: 'ticks', path: '' });
});
