import { expect, test } from 'vitest';
import { parseSentinelUrl, withoutPassword } from './store-urls';

test.each([
  ['redis+sentinel://a:1/main', [{ host: 'a', port: 1 }], 'main'],
  [
    'redis+sentinel://a.example:1,b-2:3/my-shop',
    [
      { host: 'a.example', port: 1 },
      { host: 'b-2', port: 3 },
    ],
    'my-shop',
  ],
  [
    'redis+sentinel://a,10.0.0.1/main',
    [
      { host: 'a', port: 26_379 },
      { host: '10.0.0.1', port: 26_379 },
    ],
    'main',
  ],
  ['redis+sentinel://[::1]:5/main', [{ host: '::1', port: 5 }], 'main'],
])('%s', (url, sentinels, name) => {
  expect(parseSentinelUrl(url)).toEqual({ sentinels, name, username: undefined, password: undefined });
});

test('the credentials are those of Redis', () => {
  expect(parseSentinelUrl('redis+sentinel://shop:p%40ss@a:1/main')).toMatchObject({
    username: 'shop',
    password: 'p@ss',
  });
  expect(parseSentinelUrl('redis+sentinel://:secret@a:1/main')).toMatchObject({ password: 'secret' });
});

test.each([
  'redis://a:1',
  'redis+sentinel://a:1',
  'redis+sentinel://a:1/',
  'redis+sentinel:///main',
  'redis+sentinel://a:99999/main',
  'redis+sentinel://a:1,,b:2/main',
  'redis+sentinel://a:1/main/other',
])('%s is not a URL of Sentinels', (url) => {
  expect(parseSentinelUrl(url)).toBeUndefined();
});

test.each([
  ['postgres://ann:hunter2@db.example.com:5432/sale', 'postgres://ann:***@db.example.com:5432/sale'],
  ['postgres://db.example.com/sale?password=hunter2', 'postgres://db.example.com/sale?password=***'],
  ['postgres://ann@127.0.0.1/sale', 'postgres://ann@127.0.0.1/sale'],
  ['redis+sentinel://ann:hunter2@a:1,b:2/main', 'redis+sentinel://ann:***@a:1,b:2/main'],
  ['redis+sentinel://a:1,b:2/main', 'redis+sentinel://a:1,b:2/main'],
  ['hunter2', '(an address that is not a URL)'],
])('a printed address hides its password: %s', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});
