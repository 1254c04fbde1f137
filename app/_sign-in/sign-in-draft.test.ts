import { expect, test } from 'vitest';
import { parseDraft } from './sign-in-draft';

test('a stored draft is restored', () => {
  const draft = { email: 'ada@example.com', step: 'code', sent: 2, closedUntil: 1_795_000_000_000 };
  expect(parseDraft(JSON.stringify(draft))).toEqual(draft);
});

test.each([
  ['nothing', ''],
  ['not JSON', '{'],
  ['another step', '{"email":"","step":"name","sent":0}'],
  ['an end that is a text', '{"email":"","step":"code","sent":1,"closedUntil":"soon"}'],
  ['a number of codes that is a text', '{"email":"","step":"email","sent":"1"}'],
])('%s restores an empty form', (_what, text) => {
  expect(parseDraft(text)).toEqual({ email: '', step: 'email', sent: 0 });
});
