import { expect, test } from 'vitest';
import { fieldProblems } from './field-problems';

const names = ['limit', 'windowMs', 'title', 'title.en'] as const;

test('each problem goes to the field that it begins with', () => {
  expect(fieldProblems('limit: too small; windowMs: too long', names)).toEqual({
    fields: { limit: 'too small', windowMs: 'too long' },
    rest: undefined,
  });
});

test('a part of a field belongs to the field', () => {
  expect(fieldProblems('title.zh: too long', names).fields).toEqual({ title: 'too long' });
});

test.each([
  ['user', 'Use a whole number from 1 to 1000000.'],
  ['email+ip', 'With a window of 10 ms a bucket counts exactly up to 2^53 / window.'],
])('of a sentence of the limiter about level %s the field gets what to do', (level, advice) => {
  const sentence = `Policy "coupon.claim": ${level}.limit is 0. ${advice}`;
  expect(fieldProblems(sentence, names)).toEqual({ fields: { limit: advice }, rest: undefined });
});

test('what names no field is left for the whole form', () => {
  expect(fieldProblems('id: this coupon has ended', names)).toEqual({
    fields: {},
    rest: 'id: this coupon has ended',
  });
});
