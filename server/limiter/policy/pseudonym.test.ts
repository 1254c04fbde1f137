import { expect, test } from 'vitest';
import { maskSubject } from './pseudonym';

test.each([
  ['0e0b6d6a-93ab-4f6e-9d0f-5c8a1b2c3dc8', '0e0…c8'],
  ['10.24.17.128', '10…28'],
  ['192.168.17.5', '192…5'],
  ['ada', 'a…'],
])('the mask of %s is %s: one ellipsis after no dot', (subject, masked) => {
  expect(maskSubject(subject)).toBe(masked);
});
