import { expect, test } from 'vitest';
import { demoFlag } from './demo-flag.mjs';

const PUBLIC_ORIGIN = 'https://sale.example.com';

test('the demo is the default where both databases were started here and no origin is public', () => {
  expect(demoFlag({}, { ownDatabases: true })).toBe('1');
  expect(demoFlag({ PUBLIC_ORIGIN: '' }, { ownDatabases: true })).toBe('1');
  expect(demoFlag({ PUBLIC_ORIGIN }, { ownDatabases: true })).toBeUndefined();
  expect(demoFlag({}, { ownDatabases: false })).toBeUndefined();
});

test('FLOODGATE_DEMO decides where it is set', () => {
  expect(demoFlag({ FLOODGATE_DEMO: '0' }, { ownDatabases: true })).toBe('0');
  expect(demoFlag({ FLOODGATE_DEMO: '1', PUBLIC_ORIGIN }, { ownDatabases: false })).toBe('1');
});
