import { expect, test } from 'vitest';
import { z } from 'zod';
import { cursorInput, encodeCursor } from './cursor';

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
