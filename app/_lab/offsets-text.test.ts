import { expect, test } from 'vitest';
import { mostOffsets, offsetsOf, textOf } from './offsets-text';

test('offsets are the steps between them, in base 36', () => {
  expect(textOf([0, 250, 250, 1_000])).toBe('0.6y..ku');
  expect(offsetsOf('0.6y..ku')).toEqual([0, 250, 250, 1_000]);
});

test.each([
  ['', []],
  ['0', [0]],
  // 5 and -1: what follows nonsense is not believed.
  ['5.-1.3', [5]],
  // 36^4 x 3 = 5 038 848 ms are more than an hour.
  ['1.30000', [1]],
])('%j is read as %j', (text, offsets) => {
  expect(offsetsOf(text)).toEqual(offsets);
});

test('an address carries a thousand offsets at most', () => {
  expect(offsetsOf(Array.from({ length: mostOffsets + 1 }, () => '1').join('.'))).toHaveLength(mostOffsets);
});
