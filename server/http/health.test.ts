import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Health, listFailing } from '../finding';
import { createReadiness, type HealthChecks } from './health';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const error = vi.fn();
beforeEach(() => error.mockClear());

/** Creates the readiness check of these checks, with a log that records errors. */
const createTested = (checks: HealthChecks, warnings?: HealthChecks) =>
  createReadiness({ checks, warnings, log: { error } });

const up = async () => ({ ok: true, detail: 'answers' });
const down = async () => ({ ok: false, detail: 'refuses connections' });

test('ready: all needed dependencies are up', async () => {
  expect(await createTested({ redis: up, postgres: up })()).toEqual({
    ready: true,
    dependencies: { redis: { ok: true, detail: 'answers' }, postgres: { ok: true, detail: 'answers' } },
  });
});

test('not ready: names the dependency that is down', async () => {
  expect(await createTested({ redis: up, postgres: down })()).toMatchObject({
    ready: false,
    dependencies: { redis: { ok: true }, postgres: { ok: false, detail: 'refuses connections' } },
  });
});

test('ready: a failing warning is listed', async () => {
  const off = async () => ({ ok: false, detail: '51 are sold of 50' });
  expect(await createTested({ redis: up }, { auditor: off })()).toEqual({
    ready: true,
    dependencies: {
      redis: { ok: true, detail: 'answers' },
      auditor: { ok: false, detail: '51 are sold of 50' },
    },
  });
});

test('the findings of a check are kept for pages that translate them', async () => {
  const findings = [{ code: 'lag' as const, values: { lagMs: 3 } }];
  const behind = async () => ({ ok: true, detail: '3 ms behind', findings });
  expect((await createTested({ ledger: behind })()).dependencies.ledger).toEqual({
    ...{ ok: true, detail: '3 ms behind', findings },
  });
});

test('a check that throws counts as down without revealing its error', async () => {
  const fails = async () => Promise.reject(new Error('password of postgres://app:pw@db'));
  expect(await createTested({ postgres: fails })()).toEqual({
    ready: false,
    dependencies: { postgres: { ok: false, detail: 'the check failed' } },
  });
});

const hangs = () => new Promise<Health>(() => undefined);

test('a check that hangs counts as down after 300 ms', async () => {
  const run = createTested({ redis: vi.fn(hangs).mockImplementationOnce(up), postgres: up });
  await run();
  await vi.advanceTimersByTimeAsync(500);
  const readiness = run();
  await vi.advanceTimersByTimeAsync(300);
  expect(await readiness).toMatchObject({
    ready: false,
    dependencies: { redis: { ok: false, detail: 'no answer in 300 ms' }, postgres: { ok: true } },
  });
});

test('a check that has never finished has no result for 5 s after the start, then it counts as down', async () => {
  const run = createTested({ redis: hangs });
  const first = run();
  await vi.advanceTimersByTimeAsync(300);
  const { ready, dependencies } = await first;
  expect(ready).toBe(false);
  expect(dependencies.redis).toMatchObject({ ok: false, findings: [{ code: 'not-checked-yet' }] });
  expect(listFailing(dependencies)).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  const second = run();
  await vi.advanceTimersByTimeAsync(300);
  expect((await second).dependencies.redis).toEqual({
    ...{ ok: false, detail: 'no answer in 300 ms' },
    findings: [{ code: 'slow', values: { ms: 300 } }],
  });
  expect(listFailing((await second).dependencies)).toEqual(['redis']);
});

test('frequent probes run the checks at most twice a second', async () => {
  const check = vi.fn(up);
  const readiness = createTested({ redis: check });
  for (let probe = 0; probe < 1_000; probe += 1) await readiness();
  expect(check).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(500);
  await readiness();
  expect(check).toHaveBeenCalledTimes(2);
});

test('a check that throws is logged with its cause, once until it succeeds', async () => {
  const cause = new Error('no route to host');
  const check = vi.fn(up).mockRejectedValueOnce(cause).mockRejectedValueOnce(cause);
  const readiness = createTested({ postgres: check });
  for (let probe = 0; probe < 3; probe += 1) {
    await readiness();
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(error.mock.calls).toEqual([[{ err: cause, check: 'postgres' }, expect.any(String)]]);
  check.mockRejectedValueOnce(cause);
  await readiness();
  expect(error).toHaveBeenCalledTimes(2);
});
