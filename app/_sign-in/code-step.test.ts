import { expect, test } from 'vitest';
import { parseCode } from './code-step';

test.each([
  ['012345', '012345'],
  [' 012 345\n', '012345'],
  ['012-345', '012345'],
  ['０１２３４５', '012345'],
])('%j is parsed as %s', (typed, code) => expect(parseCode(typed)).toBe(code));

test.each(['', '12345', '1234567', '12345a', 'your code is 123456'])('%j is not a code', (typed) => {
  expect(parseCode(typed)).toBeUndefined();
});
