import { expect, test } from 'vitest';
import { sameSitePath } from './same-site-path';

test.each([
  ['/wallet', '/wallet'],
  ['/merchants?lang=zh#top', '/merchants?lang=zh#top'],
  ['/a/../wallet', '/wallet'],
])('%s is kept', (next, path) => {
  expect(sameSitePath(next)).toBe(path);
});

test.each([
  undefined,
  ['/wallet'],
  '',
  'wallet',
  'https://elsewhere.example/',
  '//elsewhere.example/',
  '/\\elsewhere.example/',
  '/\t/elsewhere.example/',
  '/.//elsewhere.example/',
  'javascript:alert(1)',
])('%j leads to the sale', (next) => {
  expect(sameSitePath(next)).toBe('/');
});
