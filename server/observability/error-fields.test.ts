import { DrizzleQueryError } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { errorFields } from './error-fields';

test('a failed statement is logged with its cause and without its parameters', () => {
  const cause = new Error('connection refused');
  const error = new DrizzleQueryError(
    'insert into orders values ($1)',
    ['K2NJ6MNQTT', 'ada@example.com'],
    cause,
  );
  const shown = JSON.stringify(errorFields(error));
  expect(shown).toContain('insert into orders');
  expect(shown).toContain('connection refused');
  expect(shown).toContain('error-fields.test');
  expect(shown).not.toContain('K2NJ6MNQTT');
  expect(shown).not.toContain('ada@example.com');
});

test('a broken connection is logged without its client, which has the password and refers to itself', () => {
  const client: Record<string, unknown> = { password: 'a password' };
  client.self = client;
  const error = Object.assign(new Error('Connection terminated unexpectedly'), { client });
  const shown = JSON.stringify(errorFields(new Error('the ledger failed', { cause: error })));
  expect(shown).toContain('Connection terminated unexpectedly');
  expect(shown).not.toContain('a password');
});

test('an error of several, one of them its own cause, is logged with all of them', () => {
  const one = new Error('refused by ::1');
  one.cause = one;
  const shown = JSON.stringify(errorFields(new AggregateError([one, new Error('refused by 127.0.0.1')])));
  expect(shown).toContain('refused by ::1');
  expect(shown).toContain('refused by 127.0.0.1');
});
