import { expect, test } from 'vitest';
import type { Decision } from './decision';
import { createReopening, type Turn } from './reopening';

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
const refused: Decision = { ...decided, allowed: false, reason: 'limited', refusedBy: level };
const admitted = (remaining: number): Decision => ({
  ...decided,
  levels: [{ ...level, remaining }],
  allowed: true,
  replayed: false,
  delayMs: 0,
});

/** A crowd at one window; the answers of those who ask are given in order, by hand. */
function crowdOf(size: number, known: Turn['known'] = () => undefined) {
  const reopening = createReopening();
  const asked: { answer: (decision: Decision) => void; fail: (error: Error) => void }[] = [];
  const ask = () => new Promise<Decision>((answer, fail) => asked.push({ answer, fail }));
  const calls = Array.from({ length: size }, () => reopening.take('sale', { ask, known }));
  return { reopening, calls, asked, settled: () => new Promise(setImmediate) };
}

test('who waited and need not ask any more calls those behind: nobody waits for ever', async () => {
  let answer: Decision | undefined;
  const { reopening, calls, asked } = crowdOf(50, () => answer);
  expect(asked).toHaveLength(4);
  answer = refused;
  for (const one of asked) one.answer(refused);
  expect(await Promise.all(calls)).toHaveLength(50);
  expect(asked).toHaveLength(4);
  expect(reopening.isBusy('sale')).toBe(false);
});

test('as many ask as there is room, and no more than four once there is none', async () => {
  const { calls, asked, settled } = crowdOf(40);
  asked[0]?.answer(admitted(9));
  await settled();
  expect(asked).toHaveLength(1 + 9);
  for (const one of asked) one.answer(refused);
  await settled();
  expect(asked).toHaveLength(10 + 4);
  while (asked.length < 40) {
    for (const one of asked) one.answer(refused);
    await settled();
  }
  for (const one of asked) one.answer(refused);
  await Promise.all(calls);
});

test('calls that come while others have just been called wait behind them', async () => {
  const { reopening, calls, asked, settled } = crowdOf(8);
  for (const one of asked) one.answer(refused);
  const late = reopening.take('sale', { ask: async () => refused, known: () => undefined });
  await settled();
  expect(asked).toHaveLength(8);
  expect(reopening.isBusy('sale')).toBe(true);
  for (const one of asked) one.answer(refused);
  await Promise.all([...calls, late]);
  expect(reopening.isBusy('sale')).toBe(false);
});

test('one silence is the answer of all who wait, and the next call asks anew', async () => {
  const { reopening, calls, asked } = crowdOf(20);
  const results = Promise.allSettled(calls);
  for (const one of asked) one.fail(new Error('silent'));
  expect((await results).every(({ status }) => status === 'rejected')).toBe(true);
  expect(asked).toHaveLength(4);
  expect(reopening.isBusy('sale')).toBe(false);
});
