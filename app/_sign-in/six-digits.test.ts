import { expect, test } from 'vitest';
import { sixDigits } from './six-digits';

test.each([
  ['012345', '012345'],
  [' 012 345\n', '012345'],
  ['012-345', '012345'],
  ['０１２３４５', '012345'],
])('%j is read as %s', (typed, code) => expect(sixDigits(typed)).toBe(code));

test.each(['', '12345', '1234567', '12345a', 'your code is 123456'])('%j is no code', (typed) => {
  expect(sixDigits(typed)).toBeUndefined();
});
