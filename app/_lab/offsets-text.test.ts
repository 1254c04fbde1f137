import { expect, test } from 'vitest';
import { decodeOffsets, encodeOffsets, MAX_OFFSETS } from './offsets-text';

test('offsets are encoded as steps in base 36', () => {
  expect(encodeOffsets([0, 250, 250, 1_000])).toBe('0.6y..ku');
  expect(decodeOffsets('0.6y..ku')).toEqual([0, 250, 250, 1_000]);
});

test.each([
  ['', []],
  ['0', [0]],
  // -1 is invalid and ends the list.
  ['5.-1.3', [5]],
  // 36^4 x 3 = 5 038 848 ms are more than an hour.
  ['1.30000', [1]],
])('%j is read as %j', (text, offsets) => {
  expect(decodeOffsets(text)).toEqual(offsets);
});

test('a URL carries at most 1,000 offsets', () => {
  expect(decodeOffsets(Array.from({ length: MAX_OFFSETS + 1 }, () => '1').join('.'))).toHaveLength(
    MAX_OFFSETS,
  );
});
