import { expect, test } from 'vitest';
import { RequestIdConflictError } from '../decide/request-id';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { memoryStore } from '../stores/memory-store';
import { StoreUnavailableError } from '../stores/store-error';
import { answerOf } from './http';

const policy = definePolicy({
  name: 'page',
  levels: [{ level: 'user', limit: 1, windowMs: 60_000 }],
  message: { en: 'Too many.', zh: '太多了。' },
});
const limiter = createLimiter({ store: memoryStore({ clock: () => 0 }), secret: 's'.repeat(32) });
const admitted = await limiter.check(policy, { user: 'ada' });
const refused = await limiter.check(policy, { user: 'ada' });
const bodyOf = (...call: Parameters<typeof answerOf>) => JSON.parse(answerOf(...call).body ?? '');

test('an admitted call has the status 200, the headers of the limit and no body', () => {
  expect(answerOf(admitted)).toEqual({
    status: 200,
    headers: { 'ratelimit-policy': '"page:user";q=1;w=60', ratelimit: '"page:user";r=0;t=60' },
    body: undefined,
  });
});

test('a refusal is problem details with the text of its policy in a language', () => {
  const { status, headers } = answerOf(refused);
  expect([status, headers['content-type'], headers['retry-after']]).toEqual([
    429,
    'application/problem+json',
    '60',
  ]);
  expect(bodyOf(refused)).toMatchObject({
    status: 429,
    detail: 'Too many requests. Try again later.',
    rateLimit: { policy: 'page', level: 'user', retryAfterMs: 60_000 },
  });
  expect(bodyOf(refused, { policy })).toMatchObject({ detail: 'Too many.' });
  expect(bodyOf(refused, { policy, language: 'zh' })).toMatchObject({ detail: '太多了。' });
  expect(answerOf(refused, { headers: false }).headers).toEqual({
    'content-type': 'application/problem+json',
    'retry-after': '60',
  });
});

test('an error of check that is an answer has its status, any other is thrown', () => {
  expect(answerOf(new StoreUnavailableError('down'))).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
  });
  expect(answerOf(new RequestIdConflictError()).status).toBe(409);
  expect(() => answerOf(new TypeError('a bug'))).toThrow('a bug');
});

test('an unknown format of headers is an error that names the formats', () => {
  expect(() => answerOf(admitted, { headers: 'draft-7' as never })).toThrow(
    'answerOf: headers is "draft-7". Use "draft-11", "legacy" or false.',
  );
});
