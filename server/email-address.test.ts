import { expect, test } from 'vitest';
import { emailAddress, removePlusTag } from './email-address';

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

test.each([
  ['ada+sale@example.com', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  ['ada@example.com', 'ada@example.com'],
  ['ada@exam+ple.com', 'ada@exam+ple.com'],
  ['+sale@example.com', '+sale@example.com'],
])('the mailbox of %s is %s', (email, mailbox) => expect(removePlusTag(email)).toBe(mailbox));
