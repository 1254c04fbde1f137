import { expect, test } from 'vitest';
import { joinHits } from './refusals';

const level = { policy: 'p', level: 'user', windowMs: 10_000 };
const windows = (serverNow: number, hits: number[]) => ({
  serverNow,
  windows: [{ policy: 'p', level: 'user', hits }],
});

test('hits that have left and newer hits are joined without duplicates', () => {
  const before = windows(20_000, [10_500, 12_000, 19_000]);
  const after = windows(20_800, [12_000, 19_000, 20_100]);
  expect(joinHits({ before, after, level, refusedAt: 20_400 })).toEqual([10_500, 12_000, 19_000, 20_100]);
});

test('hits that left before the refusal or came after it are excluded', () => {
  const after = windows(21_000, [10_400, 10_401, 20_401]);
  expect(joinHits({ before: undefined, after, level, refusedAt: 20_400 })).toEqual([10_401]);
});
