import { expect, test } from 'vitest';
import { nextFilter } from './use-table-keys';

test.each([
  ['a character', '', 'S', 's'],
  ['a Chinese character', 's', '抢', 's抢'],
  ['Backspace', 'se', 'Backspace', 's'],
  ['Escape', 'se', 'Escape', ''],
])('%s changes the filter', (_what, filter, key, next) => {
  expect(nextFilter(filter, key)).toBe(next);
});

test.each([
  ['Enter, which opens a row', 'se', 'Enter'],
  ['space, which opens a row', 'se', ' '],
  ['Tab', 'se', 'Tab'],
  ['Escape without a filter, which closes a dialog', '', 'Escape'],
  ['Backspace without a filter', '', 'Backspace'],
])('%s does not change the filter', (_what, filter, key) => {
  expect(nextFilter(filter, key)).toBeUndefined();
});
