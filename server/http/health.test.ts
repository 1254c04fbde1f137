import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReadiness } from './health';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const up = async () => ({ ok: true, detail: 'answers' });
const down = async () => ({ ok: false, detail: 'refuses connections' });

test('all that is needed is up: ready', async () => {
  expect(await createReadiness({ redis: up, postgres: up })()).toEqual({
    ready: true,
    dependencies: { redis: { ok: true, detail: 'answers' }, postgres: { ok: true, detail: 'answers' } },
  });
});

test('one is down: not ready, and it is named', async () => {
  expect(await createReadiness({ redis: up, postgres: down })()).toMatchObject({
    ready: false,
    dependencies: { redis: { ok: true }, postgres: { ok: false, detail: 'refuses connections' } },
  });
});

test('what is not needed is shown with its fault, and leaves the node ready', async () => {
  const off = async () => ({ ok: false, detail: '51 are sold of 50' });
  expect(await createReadiness({ redis: up }, { auditor: off })()).toEqual({
    ready: true,
    dependencies: {
      redis: { ok: true, detail: 'answers' },
      auditor: { ok: false, detail: '51 are sold of 50' },
    },
  });
});

test('a check that throws counts as down and says nothing secret', async () => {
  const fails = async () => Promise.reject(new Error('password of postgres://app:pw@db'));
  expect(await createReadiness({ postgres: fails })()).toEqual({
    ready: false,
    dependencies: { postgres: { ok: false, detail: 'the check failed' } },
  });
});

test('a check that hangs is answered for after 300 ms', async () => {
  const readiness = createReadiness({ redis: () => new Promise(() => undefined), postgres: up })();
  await vi.advanceTimersByTimeAsync(300);
  expect(await readiness).toMatchObject({
    ready: false,
    dependencies: { redis: { ok: false, detail: 'no answer in 300 ms' }, postgres: { ok: true } },
  });
});

test('probing more often than twice a second asks nobody', async () => {
  const check = vi.fn(up);
  const readiness = createReadiness({ redis: check });
  for (let probe = 0; probe < 1_000; probe += 1) await readiness();
  expect(check).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(500);
  await readiness();
  expect(check).toHaveBeenCalledTimes(2);
});
