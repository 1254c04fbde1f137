import { expect, test } from 'vitest';
import { createSessions } from '../../server/http/session';
import { curlCommand, getSessionCookieName } from './curl-details';

const origin = 'http://127.0.0.1:3000';

test('a mutation posts its input with the session cookie', () => {
  const call = {
    type: 'mutation',
    path: 'coupon.claim',
    input: { couponId: 'popcorn' },
    signedIn: true,
  } as const;
  expect(curlCommand(call, origin).split('\n')).toEqual([
    "curl -i 'http://127.0.0.1:3000/api/trpc/coupon.claim' \\",
    "  -H 'cookie: floodgate_session=YOUR-SESSION' \\",
    "  -H 'content-type: application/json' \\",
    `  -d '{"couponId":"popcorn"}'`,
  ]);
});

test('a query has its input in the URL, with quotes escaped', () => {
  const call = { type: 'query', path: 'merchant.list', input: { q: "Pedal's" }, signedIn: false } as const;
  expect(curlCommand(call, origin)).toBe(
    "curl -i 'http://127.0.0.1:3000/api/trpc/merchant.list?input=%7B%22q%22%3A%22Pedal'\\''s%22%7D'",
  );
});

test('over https the session cookie has its secure name', () => {
  const call = { type: 'mutation', path: 'coupon.claim', input: {}, signedIn: true } as const;
  expect(curlCommand(call, 'https://sale.example.com')).toContain(
    "'cookie: __Host-floodgate_session=YOUR-SESSION'",
  );
});

test.each([
  ['http://127.0.0.1:3000', false],
  ['https://sale.example.com', true],
])('the session cookie at %s has the name that the server sets', (origin, secure) => {
  const cookie = createSessions({ secrets: ['x'.repeat(32)], secure }).serialize(null);
  expect(cookie.split('=')[0]).toBe(getSessionCookieName(origin));
});
