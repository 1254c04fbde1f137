const { beforeEach, expect, jest: timers, test } = require('@jest/globals');
const { createLimiter, definePolicy, isFloodgateError } = require('floodgate-limiter');
const { memoryStore } = require('floodgate-limiter/stores');

const claim = definePolicy({ name: 'claim', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

let now = 0;
/** @type {import('floodgate-limiter').Limiter} */
let limiter;
beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  const store = memoryStore({ clock: () => now });
  limiter = createLimiter({ store, secret: 'for tests: 32 characters or more' });
});

test('the fourth claim in a minute is refused until the first has left', async () => {
  for (let claims = 0; claims < 3; claims += 1) {
    expect(await limiter.check(claim, { user: 'ada' })).toHaveProperty('allowed', true);
    now += 10_000;
  }
  expect(await limiter.check(claim, { user: 'ada' })).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
  now += 30_000;
  expect(await limiter.check(claim, { user: 'ada' })).toHaveProperty('allowed', true);
});

test('under fake timers, a call without its subject is an error of the package', async () => {
  timers.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick', 'setImmediate'] });
  const error = await limiter.check(claim, { user: '' }).catch((reason) => reason);
  timers.useRealTimers();
  expect(isFloodgateError(error, 'MISSING_SUBJECT')).toBe(true);
});
