import { parseList } from 'structured-headers';
import { expect, test } from 'vitest';
import type { Decision, LevelState } from '../decide/decision';
import { rateLimitHeaders } from './headers';

const user: LevelState = {
  level: 'user',
  algorithm: 'sliding-log',
  limit: 5,
  windowMs: 10_000,
  used: 1,
  remaining: 4,
  retryAfterMs: 0,
  resetMs: 9_001,
};
const global: LevelState = { ...user, level: 'global', limit: 100, used: 37, remaining: 63, resetMs: 1_200 };
const admitted: Decision = {
  allowed: true,
  policy: 'coupon.seckill',
  now: 0,
  levels: [user, global],
  shadowRefusals: [],
  degraded: false,
  replayed: false,
  delayMs: 0,
};
const full = { ...user, used: 5, remaining: 0, retryAfterMs: 1_001, resetMs: 1_001 };
const refused: Decision = {
  ...admitted,
  allowed: false,
  reason: 'limited',
  levels: [full, global],
  refusedBy: full,
  retryAfterMs: full.retryAfterMs,
};

/** Items as an outside parser of structured fields reads them. */
const items = (header: string | undefined) =>
  parseList(header ?? '').map(([name, parameters]) => [name, Object.fromEntries(parameters)]);

test('an admitted call has one item per level', () => {
  const headers = rateLimitHeaders([admitted]);
  expect(items(headers['ratelimit-policy'])).toEqual([
    ['coupon.seckill:user', { q: 5, w: 10 }],
    ['coupon.seckill:global', { q: 100, w: 10 }],
  ]);
  // 9 001 ms and 1 200 ms until the oldest hits leave, rounded up
  expect(items(headers.ratelimit)).toEqual([
    ['coupon.seckill:user', { r: 4, t: 10 }],
    ['coupon.seckill:global', { r: 63, t: 2 }],
  ]);
  expect(headers['retry-after']).toBeUndefined();
});

test('a refusal has the refusing level, and Retry-After in whole seconds rounded up', () => {
  const headers = rateLimitHeaders([refused]);
  expect(items(headers.ratelimit)).toEqual([['coupon.seckill:user', { r: 0, t: 2 }]]);
  expect(headers['retry-after']).toBe('2');
});

test('a batch has the tightest item of each level and the longest wait', () => {
  const later = { ...full, retryAfterMs: 4_500 };
  const headers = rateLimitHeaders([
    admitted,
    refused,
    { ...refused, refusedBy: later, retryAfterMs: 4_500 },
  ]);
  expect(items(headers.ratelimit)).toEqual([
    ['coupon.seckill:user', { r: 0, t: 5 }],
    ['coupon.seckill:global', { r: 63, t: 2 }],
  ]);
  expect(headers['retry-after']).toBe('5');
});

test('calls in flight have the quota unit of concurrent requests and no window', () => {
  const running: LevelState = { ...user, algorithm: 'in-flight', limit: 2, windowMs: 30_000, remaining: 1 };
  const headers = rateLimitHeaders([{ ...admitted, levels: [running] }]);
  expect(items(headers['ratelimit-policy'])).toEqual([
    ['coupon.seckill:user', { q: 2, qu: 'concurrent-requests' }],
  ]);
  expect(items(headers.ratelimit)).toEqual([['coupon.seckill:user', { r: 1, t: 10 }]]);
});

test('a decision without the store is marked, and that of an open policy has no level', () => {
  expect(rateLimitHeaders([{ ...admitted, levels: [], degraded: true }])).toEqual({
    'floodgate-degraded': '1',
  });
});

test('calls without a limit have no headers', () => {
  expect(rateLimitHeaders([])).toEqual({});
});

test('legacy headers have the tightest level, and the epoch seconds at which more returns', () => {
  const now = 1_700_000_000_500;
  expect(rateLimitHeaders([{ ...admitted, now }], 'legacy')).toEqual({
    'x-ratelimit-limit': '5',
    'x-ratelimit-remaining': '4',
    // 9 001 ms later, rounded up
    'x-ratelimit-reset': '1700000010',
  });
  expect(rateLimitHeaders([{ ...refused, now }], 'legacy')).toEqual({
    'x-ratelimit-limit': '5',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '1700000002',
    'retry-after': '2',
  });
});

test('without headers, a refusal still has Retry-After', () => {
  expect(rateLimitHeaders([{ ...admitted, degraded: true }], false)).toEqual({});
  expect(rateLimitHeaders([refused], false)).toEqual({ 'retry-after': '2' });
});
