import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { joinSubsystems, mergeChecks, type Subsystem } from './subsystem';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const noReports = { log: { warn: vi.fn() }, observeStoreError: vi.fn() };

test('the jobs stop first, then the layers in reverse order', async () => {
  const stopped: string[] = [];
  const part = (name: string, jobMs?: number): Subsystem => ({
    verbs: {},
    jobs: jobMs === undefined ? [] : [{ name, everyMs: 1_000, run: () => endAfter(jobMs, `job of ${name}`) }],
    stop: async () => void stopped.push(name),
  });
  const endAfter = async (ms: number, name: string) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    stopped.push(name);
  };
  const { startJobs, stop } = joinSubsystems(
    [[part('stores')], [part('sale', 50)], [part('lab'), part('ops', 10)]],
    noReports,
  );
  startJobs();
  const stopping = stop();
  await vi.advanceTimersByTimeAsync(100);
  await stopping;
  expect(stopped).toEqual(['job of ops', 'job of sale', 'lab', 'ops', 'sale', 'stores']);
});

test('a failing job is reported by its name and goes on', async () => {
  const error = new Error('no route to host');
  const warn = vi.fn();
  const observeStoreError = vi.fn();
  const run = vi.fn().mockRejectedValueOnce(error).mockResolvedValue(undefined);
  const jobs = [{ name: 'Sending the heartbeat', run, everyMs: 500 }];
  const { startJobs, stop } = joinSubsystems([[{ verbs: {}, jobs }]], { log: { warn }, observeStoreError });
  await vi.advanceTimersByTimeAsync(600);
  expect(run).not.toHaveBeenCalled();
  startJobs();
  await vi.advanceTimersByTimeAsync(600);
  expect(warn.mock.calls).toEqual([[{ err: error }, 'Sending the heartbeat failed. The job goes on.']]);
  expect(observeStoreError).toHaveBeenCalledExactlyOnceWith(error);
  expect(run).toHaveBeenCalledTimes(2);
  await stop();
});

test('checks and warnings of all subsystems keep their names', () => {
  const check = async () => ({ ok: true, detail: 'answers' });
  const { checks, warnings } = mergeChecks([
    { verbs: {}, checks: { postgres: check } },
    { verbs: {} },
    { verbs: {}, checks: { redis: check }, warnings: { redisErrors: check } },
  ]);
  expect(Object.keys(checks)).toEqual(['postgres', 'redis']);
  expect(Object.keys(warnings)).toEqual(['redisErrors']);
});
