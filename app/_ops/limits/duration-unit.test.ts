import { expect, test } from 'vitest';
import { inUnit } from './duration-unit';

test.each([
  [10_000, 10, 's'],
  [60_000, 1, 'min'],
  [90_000, 90, 's'],
  [7_200_000, 2, 'h'],
  [250, 250, 'ms'],
  [0, 0, 'ms'],
])('%d ms are shown as %d %s', (ms, amount, unit) => expect(inUnit(ms)).toEqual({ amount, unit }));
