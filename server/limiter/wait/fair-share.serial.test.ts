import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type StartedCall, startWaitingNode } from '../../../drills/waiting-nodes';
import { fullestWindow } from '../../../drills/window-log';
import { isFull } from '../../../test/property';
import { freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import type { Algorithm } from '../policy/policy';

const RUN_MS = isFull ? 30_000 : 3_000;
const algorithms: Algorithm[] = isFull
  ? ['leaky-bucket', 'sliding-log', 'sliding-counter', 'token-bucket', 'fixed-window']
  : ['leaky-bucket', 'sliding-log'];
/** The promised bounds of starts in a window, as multiples of the limit. */
const BOUNDS: Partial<Record<Algorithm, number>> = { 'token-bucket': 2, 'fixed-window': 2 };

test.each(algorithms)(
  'three processes with 100 waiters each share a %s of 50 a second evenly, with at most 3 checks a call',
  async (algorithm) => {
    const level = { algorithm, limit: 50, windowMs: 1_000 };
    const plan = { redisUrl: await redisUrl(), prefix: freshPrefix(), waiters: 100, level };
    const calls: StartedCall[][] = [[], [], []];
    const nodes = await Promise.all(
      calls.map((list) => startWaitingNode(plan, (call) => void list.push(call))),
    );
    onTestFinished(async () => {
      await Promise.all(nodes.map(({ kill }) => kill()));
    });
    // All processes have started when each has reported a call.
    const before = calls.map((list) => list.length);
    const from = performance.now();
    await sleep(RUN_MS);
    const seconds = (performance.now() - from) / 1_000;

    const measured = calls.map((list, index) => list.slice(before[index]));
    const started = measured.flat().length;
    const checks = measured.flat().reduce((sum, call) => sum + call.checks, 0);
    const shares = measured.map((list) => list.length / started);
    const all = calls.flat().map(({ startedAt }) => [startedAt, 1] as const);
    const fullest = fullestWindow(all, { windowMs: 1_000 });
    expect(fullest).toBeLessThanOrEqual(50 * (BOUNDS[algorithm] ?? 1));
    expect(checks / started).toBeLessThanOrEqual(3);
    // A short run has three windows, whose units chance may give to two of the processes.
    expect(started / seconds).toBeGreaterThan(isFull ? 40 : 20);
    for (const share of shares) expect(share).toBeGreaterThan(isFull ? 0.25 : 0);
  },
);
