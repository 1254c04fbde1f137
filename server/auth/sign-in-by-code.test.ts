import { expect, test } from 'vitest';
import { displayName } from './sign-in-by-code';

test.each([
  ['ada@example.com', 'Ada'],
  ['ada.love-lace@example.com', 'Ada Love Lace'],
  ['grace_hopper+sale@example.com', 'Grace Hopper'],
  ['+sale@example.com', '+sale'],
  ['o__o@example.com', 'O O'],
  [`${'x'.repeat(64)}@example.com`, `X${'x'.repeat(39)}`],
])('%s is greeted as %s', (email, name) => expect(displayName(email)).toBe(name));
