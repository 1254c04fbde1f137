import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../errors';
import { formatSchemaMessage, listInputProblems } from './input-problems';
import { plainText } from './plain-text';

const schema = z.object({
  title: z.object({ en: plainText({ max: 5 }) }),
  stock: z.int().min(1).max(9),
  kind: z.enum(['seckill', 'claim']),
});
const input = { title: { en: 'Tea' }, stock: 1, kind: 'claim' };

function rejectionOf(value: unknown): TRPCError {
  return new TRPCError({ code: 'BAD_REQUEST', cause: schema.safeParse(value).error });
}

describe('a rejected input has the field, the reason and the bound', () => {
  test.each([
    ['a long text', { title: { en: 'Teapot' } }, { field: 'title.en', code: 'too-long', most: 5 }],
    ['too much', { stock: 10 }, { field: 'stock', code: 'too-big', most: 9 }],
    ['too little', { stock: 0 }, { field: 'stock', code: 'too-small', least: 1 }],
    ['part of a whole', { stock: 1.5 }, { field: 'stock', code: 'invalid' }],
    ['an unknown word', { kind: 'raffle' }, { field: 'kind', code: 'invalid' }],
    ['nothing at all', undefined, { field: '', code: 'invalid' }],
  ])('%s', (_what, change, problem) => {
    const rejection = rejectionOf(change && { ...input, ...change });
    expect(listInputProblems(rejection)).toMatchObject([{ ...problem, text: expect.stringMatching(/./) }]);
  });
});

test('the message has each problem with its field', () => {
  const rejection = rejectionOf({ ...input, title: { en: 'Te\u0000a' }, stock: 10 });
  expect(formatSchemaMessage(rejection, listInputProblems(rejection) ?? [])).toBe(
    'title.en: must not contain control characters; stock: Too big: expected number to be <=9',
  );
});

test('at most 20 wrong fields are described', () => {
  const { error } = z.array(z.int()).safeParse(Array.from({ length: 5_000 }, () => ''));
  const rejection = new TRPCError({ code: 'BAD_REQUEST', cause: error });
  expect(listInputProblems(rejection)).toHaveLength(20);
});

test('an error of the product keeps its problem, any other error has none', () => {
  const problem = { field: 'endsAt', code: 'end-in-past' as const, text: 'lies in the past' };
  const cause = new AppError('BAD_REQUEST', 'endsAt: lies in the past', { problem });
  expect(listInputProblems(new TRPCError({ code: 'BAD_REQUEST', cause }))).toEqual([problem]);
  const missing = new AppError('NOT_FOUND', 'There is no such coupon.');
  expect(listInputProblems(new TRPCError({ code: 'NOT_FOUND', cause: missing }))).toBeUndefined();
});
