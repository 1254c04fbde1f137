import { expect, test } from 'vitest';
import { drawQueue, listTurns, turnPosition } from './queue-turns';

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
