import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { describeUnreachable, errorCodeOf, isUnavailable } from './unavailable';

describe('isUnavailable', () => {
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
});

describe('describeUnreachable', () => {
  test('the message has the URL, the cause and the fix', () => {
    const refused = new Error('Failed query', { cause: new Error('connect ECONNREFUSED 127.0.0.1:5432') });
    expect(describeUnreachable('postgres://ann:hunter2@127.0.0.1:5432/sale', refused)).toBe(
      [
        'Postgres cannot be used at postgres://ann:***@127.0.0.1:5432/sale: connect ECONNREFUSED 127.0.0.1:5432',
        'Check that it runs, that the address and the password are right and that the database exists,',
        'or unset DATABASE_URL and run `npm start`, which starts an embedded Postgres.',
      ].join('\n'),
    );
  });

  test('a name whose addresses all refuse still has a cause', () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(describeUnreachable('postgres://localhost/sale', refused)).toContain('/sale: ECONNREFUSED');
  });
});
