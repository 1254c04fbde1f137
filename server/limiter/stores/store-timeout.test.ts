import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { settleWithin, withinStoreTimeout } from './store-timeout';

const never = () => new Promise<string>(() => undefined);
const timeoutOf = (timeoutMs: number) => withinStoreTimeout(never(), timeoutMs).catch((error) => error);

test('a call without a reply is rejected after its own timeout, whatever number of calls waits', async () => {
  const startedAt = performance.now();
  const first = timeoutOf(40);
  await timeoutOf(20);
  const later = timeoutOf(40);
  expect(await first).toMatchObject({ code: 'STORE_UNAVAILABLE', kind: 'timeout' });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(39);
  expect(await later).toMatchObject({ message: 'the store did not reply within 40 ms' });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59);
});

test('each call is settled once, also if the reply follows its timeout', async () => {
  const settled: string[] = [];
  let sendReply: (reply: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => (sendReply = resolve));
  settleWithin(late, {
    timeoutMs: 1,
    resolve: (reply) => settled.push(reply),
    reject: ({ kind }) => settled.push(kind),
  });
  await timeoutOf(1);
  sendReply('a reply');
  await late;
  await timeoutOf(1);
  expect(settled).toEqual(['timeout']);
});

test('a call waits for the time of its test, and no longer for fake timers that have ended', async () => {
  const before = timeoutOf(7);
  vi.useFakeTimers();
  try {
    const inside = timeoutOf(7);
    vi.advanceTimersByTime(7);
    expect(await inside).toMatchObject({ kind: 'timeout' });
    void timeoutOf(7);
  } finally {
    vi.useRealTimers();
  }
  expect(await before).toMatchObject({ kind: 'timeout' });
  expect(await timeoutOf(7)).toMatchObject({ kind: 'timeout' });
});

test('a process does not wait for the timeout of a call that was answered', async () => {
  const program = `
    import { createLimiter, definePolicy } from './server/limiter/index.ts';
    import { memoryStore } from './server/limiter/stores/memory-store.ts';
    const limiter = createLimiter({ store: memoryStore(), secret: 'x'.repeat(32), timeoutMs: 600_000 });
    const policy = definePolicy({ name: 'sale', levels: [{ level: 'global', limit: 1, windowMs: 60_000 }] });
    console.log((await limiter.check(policy, {})).allowed);`;
  const { stdout } = await promisify(execFile)('node', [
    ...['--import', 'tsx', '--input-type=module', '--eval', program],
  ]);
  expect(stdout).toBe('true\n');
});
