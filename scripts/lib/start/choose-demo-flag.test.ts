import { expect, test } from 'vitest';
import { chooseDemoFlag } from './choose-demo-flag.mjs';

const PUBLIC_ORIGIN = 'https://sale.example.com';

test('the demo is the default where both databases were started here and no origin is public', () => {
  expect(chooseDemoFlag({}, { ownDatabases: true })).toBe('1');
  expect(chooseDemoFlag({ PUBLIC_ORIGIN: '' }, { ownDatabases: true })).toBe('1');
  expect(chooseDemoFlag({ PUBLIC_ORIGIN }, { ownDatabases: true })).toBeUndefined();
  expect(chooseDemoFlag({}, { ownDatabases: false })).toBeUndefined();
});

test('FLOODGATE_DEMO decides where it is set', () => {
  expect(chooseDemoFlag({ FLOODGATE_DEMO: '0' }, { ownDatabases: true })).toBe('0');
  expect(chooseDemoFlag({ FLOODGATE_DEMO: '1', PUBLIC_ORIGIN }, { ownDatabases: false })).toBe('1');
});
