import { expect, test } from 'vitest';
import { emailAddress } from './email';

test.each([
  [' Ada@Example.COM\n', 'ada@example.com'],
  ['ada+sale@example.com', 'ada+sale@example.com'],
])('%j is taken as %s', (typed, taken) => expect(emailAddress.parse(typed)).toBe(taken));

test.each([
  'ada',
  'ada@example',
  'ada@exa mple.com',
  'ada@example.com, eve@example.com',
  'ada@example.com\r\nBcc: eve@example.com',
  'Ada <ada@example.com>',
  `${'a'.repeat(243)}@example.com`,
])('%j is refused', (typed) => expect(emailAddress.safeParse(typed).success).toBe(false));
