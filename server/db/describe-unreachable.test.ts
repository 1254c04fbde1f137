import { expect, test } from 'vitest';
import { describeUnreachable } from './describe-unreachable';

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
