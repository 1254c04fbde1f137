import { expect, test } from 'vitest';
import { keySlot } from './key-slot';

test.each([
  // The check value of CRC-16/XMODEM, 0x31C3, modulo 16384.
  ['123456789', 12_739],
  ['foo', 12_182],
  ['a{foo}b', 12_182],
  ['{foo}{bar}', 12_182],
  // CLUSTER KEYSLOT ignores a tag that is empty or not closed.
  ['foo{}{bar}', 8_363],
  ['', 0],
])('%s belongs to slot %d', (key, slot) => {
  expect(keySlot(key)).toBe(slot);
});

test('an unclosed tag is part of the key', () => {
  expect(keySlot('{foo')).not.toBe(keySlot('foo'));
});
