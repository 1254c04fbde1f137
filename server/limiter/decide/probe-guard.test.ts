import { expect, onTestFinished, test, vi } from 'vitest';
import { StoreReplyError, StoreUnavailableError } from '../stores/store-error';
import type { Decision } from './decision';
import { createProbeGuard, type GuardedCall } from './probe-guard';

const TIMEOUT_MS = 250;
const level = {
  level: 'global',
  algorithm: 'sliding-log' as const,
  limit: 10,
  windowMs: 1_000,
  used: 10,
  remaining: 0,
  retryAfterMs: 1_000,
  resetMs: 1_000,
};
const decided = { policy: 'sale', now: 0, levels: [level], shadowRefusals: [], degraded: false };
const refused: Decision = {
  ...decided,
  allowed: false,
  reason: 'limited',
  refusedBy: level,
  retryAfterMs: 1_000,
};
const admitted = (remaining: number): Decision => ({
  ...decided,
  levels: [{ ...level, remaining }],
  allowed: true,
  replayed: false,
  delayMs: 0,
});
const noReply = new StoreUnavailableError('the store did not answer', { kind: 'timeout' });
const wrongType = new StoreUnavailableError('the store failed', { cause: new StoreReplyError('WRONGTYPE') });

/** A crowd at one window; the test replies to the calls that were sent, in order. */
function crowdOf(size: number, findDecision: GuardedCall['findDecision'] = () => undefined) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const guard = createProbeGuard({ timeoutMs: TIMEOUT_MS });
  const sent: { reply: (decision: Decision) => void; fail: (error: Error) => void }[] = [];
  const send = () => new Promise<Decision>((reply, fail) => sent.push({ reply, fail }));
  const startedAt = performance.now();
  const calls = Array.from({ length: size }, () => guard.decide('sale', { startedAt, send, findDecision }));
  const settled = () => new Promise(setImmediate);
  return {
    guard,
    calls,
    sent,
    settled,
    async pass(ms: number) {
      vi.advanceTimersByTime(ms);
      await settled();
      await settled();
    },
  };
}

test('a held call that is decided without the store releases the next: none waits forever', async () => {
  let answer: Decision | undefined;
  const { guard, calls, sent } = crowdOf(50, () => answer);
  expect(sent).toHaveLength(4);
  answer = refused;
  for (const one of sent) one.reply(refused);
  expect(await Promise.all(calls)).toHaveLength(50);
  expect(sent).toHaveLength(4);
  expect(guard.isBusy('sale')).toBe(false);
});

test('as many calls are sent as fit, and at most four when the window is full', async () => {
  const { calls, sent, settled } = crowdOf(40);
  sent[0]?.reply(admitted(9));
  await settled();
  expect(sent).toHaveLength(1 + 9);
  for (const one of sent) one.reply(refused);
  await settled();
  expect(sent).toHaveLength(10 + 4);
  while (sent.length < 40) {
    for (const one of sent) one.reply(refused);
    await settled();
  }
  for (const one of sent) one.reply(refused);
  await Promise.all(calls);
});

test('calls made just after a release are held behind the released calls', async () => {
  const { guard, calls, sent, settled } = crowdOf(8);
  for (const one of sent) one.reply(refused);
  const late = guard.decide('sale', {
    startedAt: performance.now(),
    send: async () => refused,
    findDecision: () => undefined,
  });
  await settled();
  expect(sent).toHaveLength(8);
  expect(guard.isBusy('sale')).toBe(true);
  for (const one of sent) one.reply(refused);
  await Promise.all([...calls, late]);
  expect(guard.isBusy('sale')).toBe(false);
});

test('a full timeout without a reply fails all held calls, and the next call is sent', async () => {
  const { guard, calls, sent } = crowdOf(20);
  const results = Promise.allSettled(calls);
  for (const one of sent) one.fail(noReply);
  expect((await results).every(({ status }) => status === 'rejected')).toBe(true);
  expect(sent).toHaveLength(4);
  expect(guard.isBusy('sale')).toBe(false);
});

test('an error that the store replies fails its own call, and the next one is sent', async () => {
  const { calls, sent, settled } = crowdOf(60);
  const results = Promise.allSettled(calls);
  sent[0]?.fail(wrongType);
  await settled();
  expect(sent).toHaveLength(5);
  sent[1]?.reply(admitted(99));
  await settled();
  for (const one of sent) one.reply(admitted(0));
  const statuses = (await results).map(({ status }) => status);
  expect(statuses.filter((status) => status === 'rejected')).toHaveLength(1);
});

test('a call whose own time ends before its reply fails alone', async () => {
  const { calls, sent, settled, pass } = crowdOf(9);
  const results = Promise.allSettled(calls);
  await pass(212);
  for (const one of sent) one.reply(refused);
  await settled();
  expect(sent).toHaveLength(8);
  // The four that were released have 38 ms left. The ninth is sent for the last 30 ms of its own time.
  await pass(37);
  expect(sent).toHaveLength(9);
  sent[8]?.reply(refused);
  await pass(2);
  expect((await results).map(({ status }) => status)).toEqual([
    ...Array(4).fill('fulfilled'),
    ...Array(4).fill('rejected'),
    'fulfilled',
  ]);
  expect(sent).toHaveLength(9);
});

test('held calls are decided within their timeout plus 30 ms if the store stops replying', async () => {
  const { calls, sent, settled, pass } = crowdOf(50);
  let ended = 0;
  for (const call of calls) call.catch(() => undefined).finally(() => (ended += 1));
  await pass(100);
  for (const one of sent) one.reply(refused);
  await settled();
  for (let ms = 100; ms <= TIMEOUT_MS + 30; ms += 1) await pass(1);
  expect(ended).toBe(50);
});

test('held calls are not sent to a store that has not replied since they were made', async () => {
  const { calls, sent, pass } = crowdOf(50);
  const results = Promise.allSettled(calls);
  await pass(TIMEOUT_MS - 1);
  expect(sent).toHaveLength(4);
  for (const one of sent) one.fail(noReply);
  await results;
  expect(sent).toHaveLength(4);
});
