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

test('a sentence of the limiter goes to the field that it mentions', () => {
  const sentence = 'Policy "coupon.claim": user.limit is 0. Use a whole number from 1 to 1000000.';
  expect(fieldProblems(sentence, names)).toEqual({ fields: { limit: sentence }, rest: undefined });
});

test('what names no field is left for the whole form', () => {
  expect(fieldProblems('id: this coupon has ended', names)).toEqual({
    fields: {},
    rest: 'id: this coupon has ended',
  });
});
