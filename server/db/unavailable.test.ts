import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { errorCodeOf, isUnavailable } from './unavailable';

const withCode = (code: string, message = code) => Object.assign(new Error(message), { code });

describe('an unavailable Postgres differs from an error reply', () => {
  test.each([
    ['no listener', withCode('ECONNREFUSED')],
    ['an administrator shut it down', withCode('57P01')],
    ['it is still starting', withCode('57P03')],
    ['the connection failed', withCode('08006')],
    ['the connection broke in the middle', new Error('Connection terminated unexpectedly')],
    ['no connection came free', new Error('timeout exceeded when trying to connect')],
    ['it is frozen', new Error('Query read timeout')],
    ['every address of a name refused', new AggregateError([withCode('ECONNREFUSED')])],
    ['Drizzle wrapped it', new DrizzleQueryError('select 1', [], withCode('ECONNRESET'))],
  ])('unavailable: %s', (_case, error) => expect(isUnavailable(error)).toBe(true));

  test.each([
    ['a constraint said no', withCode('23505')],
    ['the statement is wrong', withCode('42601')],
    ['a bug of ours', new TypeError('x is not a function')],
    ['not an error', 'ECONNREFUSED'],
  ])('error reply: %s', (_case, error) => expect(isUnavailable(error)).toBe(false));
});

test('the code of an error is that of its innermost cause', () => {
  expect(errorCodeOf(new DrizzleQueryError('select 1', [], withCode('23505')))).toBe('23505');
  expect(errorCodeOf(new Error('no code'))).toBeUndefined();
});
