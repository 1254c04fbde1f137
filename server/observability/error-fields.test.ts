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
