import { expect, test } from 'vitest';
import { parseLevelState } from './parse-level-state';

const headers = new Headers({
  'ratelimit-policy': '"auth.sendCode:email";q=3;w=60, "auth.sendCode:ip";q=30;w=60',
  ratelimit: '"auth.sendCode:email";r=1;t=42, "auth.sendCode:ip";r=30',
});

test('a level is found by its name', () => {
  expect(parseLevelState(headers, 'auth.sendCode:email')).toEqual({
    limit: 3,
    windowMs: 60_000,
    remaining: 1,
    returnsMs: 42_000,
  });
  expect(parseLevelState(headers, 'auth.sendCode:ip')).toMatchObject({ remaining: 30, returnsMs: 0 });
});

test('a level that the headers do not name is unknown', () => {
  expect(parseLevelState(headers, 'auth.sendCode:e')).toBeUndefined();
  expect(parseLevelState(new Headers(), 'auth.sendCode:email')).toBeUndefined();
});
