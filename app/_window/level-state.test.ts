import { expect, test } from 'vitest';
import { levelState } from './level-state';

const headers = new Headers({
  'ratelimit-policy': '"auth.sendCode:email";q=3;w=60, "auth.sendCode:ip";q=30;w=60',
  ratelimit: '"auth.sendCode:email";r=1;t=42, "auth.sendCode:ip";r=30',
});

test('a level is read by its name', () => {
  expect(levelState(headers, 'auth.sendCode:email')).toEqual({
    limit: 3,
    windowMs: 60_000,
    remaining: 1,
    returnsMs: 42_000,
  });
  expect(levelState(headers, 'auth.sendCode:ip')).toMatchObject({ remaining: 30, returnsMs: 0 });
});

test('a level that the answer does not name is unknown', () => {
  expect(levelState(headers, 'auth.sendCode:e')).toBeUndefined();
  expect(levelState(new Headers(), 'auth.sendCode:email')).toBeUndefined();
});
