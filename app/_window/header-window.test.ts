import { describe, expect, test } from 'vitest';
import { parseLevelState, windowAfter, withFreeAt } from './header-window';
import { freeAt } from './window-count';

describe('parseLevelState', () => {
  const headers = new Headers({
    'ratelimit-policy': '"auth.sendCode:email";q=3;w=60, "auth.sendCode:ip";q=30;w=60',
    ratelimit: '"auth.sendCode:email";r=1;t=42, "auth.sendCode:ip";r=30',
  });

  test('a level is found by its name', () => {
    expect(parseLevelState(headers, 'auth.sendCode:email')).toEqual({
      limit: 3,
      windowMs: 60_000,
      remaining: 1,
      resetAfterMs: 42_000,
    });
    expect(parseLevelState(headers, 'auth.sendCode:ip')).toMatchObject({ remaining: 30, resetAfterMs: 0 });
  });

  test('a level that the headers do not name is unknown', () => {
    expect(parseLevelState(headers, 'auth.sendCode:e')).toBeUndefined();
    expect(parseLevelState(new Headers(), 'auth.sendCode:email')).toBeUndefined();
  });
});

describe('windowAfter', () => {
  const state = { limit: 3, windowMs: 60_000, remaining: 2, resetAfterMs: 60_000 };

  test('the first call of a window is its only hit', () => {
    const window = windowAfter(undefined, { state, admitted: true, now: 100_000 });
    expect(window).toMatchObject({ limit: 3, windowMs: 60_000, used: 1, hits: [100_000] });
  });

  test('the next call is added', () => {
    const first = windowAfter(undefined, { state, admitted: true, now: 100_000 });
    const second = { ...state, remaining: 1, resetAfterMs: 50_000 };
    expect(windowAfter(first, { state: second, admitted: true, now: 110_000 }).hits).toEqual([
      110_000, 100_000,
    ]);
  });

  test('unknown hits are placed at the oldest one', () => {
    const full = { ...state, remaining: 0, resetAfterMs: 20_000 };
    const window = windowAfter(undefined, { state: full, admitted: true, now: 100_000 });
    expect(window.hits).toEqual([100_000, 60_000, 60_000]);
  });

  test('a refused call adds no hit', () => {
    const full = { ...state, remaining: 0, resetAfterMs: 20_000 };
    const before = { policy: '', level: '', limit: 3, windowMs: 60_000, used: 2, hits: [90_000, 80_000] };
    const window = windowAfter(before, { state: full, admitted: false, now: 100_000 });
    expect(window).toMatchObject({ used: 3, hits: [90_000, 80_000, 60_000] });
  });

  test('with the exact wait of a refusal, the meter counts down like a button', () => {
    const full = { ...state, remaining: 0, resetAfterMs: 20_000 };
    const window = windowAfter(undefined, { state: full, admitted: false, now: 100_000 });
    expect(freeAt(withFreeAt(window, 119_200), 100_000), 'the headers round up').toBe(119_200);
  });
});
