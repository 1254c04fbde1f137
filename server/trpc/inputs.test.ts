import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../errors';
import {
  cursorInput,
  encodeCursor,
  formatSchemaMessage,
  idInput,
  listInputProblems,
  plainText,
} from './inputs';

describe('plain text', () => {
  const name = plainText({ min: 1, max: 5 });

  test.each([
    ['  Ann ', 'Ann'],
    ['李雷', '李雷'],
    // e + combining acute = é
    ['Rene\u0301', 'Ren\u00e9'],
  ])('%j is taken as %j', (typed, taken) => expect(name.parse(typed)).toBe(taken));

  test.each([
    ['nothing but spaces', '   '],
    ['too long', 'Johann'],
    ['a NUL, which Postgres cannot store', 'A\0B'],
    ['a line break', 'A\nB'],
    ['text that runs backwards', 'A\u202eB'],
    ['half a surrogate pair', 'A\ud83d'],
  ])('refused: %s', (_case, typed) => expect(name.safeParse(typed).success).toBe(false));

  test('an id is anything of one line, up to 64 characters', () => {
    expect(idInput.parse('hotpot-50-r1')).toBe('hotpot-50-r1');
    for (const refused of ['', 'a\0', 'a'.repeat(65)]) expect(idInput.safeParse(refused).success).toBe(false);
  });
});

describe('cursors', () => {
  const input = z.object({ cursor: cursorInput(z.tuple([z.int(), z.string()])) });

  test('a cursor decodes to its sort key', () => {
    expect(input.parse({ cursor: encodeCursor([7, 'tea']) })).toEqual({ cursor: [7, 'tea'] });
  });

  test.each([{}, { cursor: undefined }, { cursor: null }])('%j is the first page', (given) =>
    expect(input.parse(given).cursor).toBeUndefined(),
  );

  test.each(['', 'no cursor', encodeCursor(['tea', 7]), 'a'.repeat(513)])('%j is refused', (cursor) =>
    expect(input.safeParse({ cursor }).success).toBe(false),
  );
});

describe('problems of an input', () => {
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
});
