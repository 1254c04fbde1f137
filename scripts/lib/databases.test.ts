import { expect, test } from 'vitest';
import { chooseDemoFlag } from './databases.mjs';

const PUBLIC_ORIGIN = 'https://sale.example.com';

test('the demo is the default if npm start started both databases and PUBLIC_ORIGIN is unset', () => {
  expect(chooseDemoFlag({}, { ownDatabases: true })).toBe('1');
  expect(chooseDemoFlag({ PUBLIC_ORIGIN: '' }, { ownDatabases: true })).toBe('1');
  expect(chooseDemoFlag({ PUBLIC_ORIGIN }, { ownDatabases: true })).toBeUndefined();
  expect(chooseDemoFlag({}, { ownDatabases: false })).toBeUndefined();
});

test('FLOODGATE_DEMO has precedence', () => {
  expect(chooseDemoFlag({ FLOODGATE_DEMO: '0' }, { ownDatabases: true })).toBe('0');
  expect(chooseDemoFlag({ FLOODGATE_DEMO: '1', PUBLIC_ORIGIN }, { ownDatabases: false })).toBe('1');
});
