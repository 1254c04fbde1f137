import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createLimiter, definePolicy, StoreUnavailableError } from '../../server/limiter/index';
import { ioredisStore } from '../../server/limiter/stores';
import { connectTestRedis } from '../../test/redis';
import type { LeasedPlan } from './leased-nodes';

const plan: LeasedPlan = JSON.parse(process.argv[2] ?? '');
const { redisUrl, clockUrl, prefix, limit, windowMs, forMs, steadyMs, spendsFile } = plan;
const TICK_MS = 5;
/** Calls a second of a node. Three nodes send the limit on average, and three times as many at most. */
const RATES = [0, 0, 0.2, 0.3, 0.6, 1].map((part) => (part * limit) / (windowMs / 1_000));
const CLOCK_READS = 50;

const clock = await readClock();
const file = openSync(spendsFile, 'a');
const store = ioredisStore(await connectTestRedis(redisUrl));
/** The last reply of the store. A call that waited got its unit after it. */
let repliedAt = 0;
const limiter = createLimiter({
  store: {
    ...store,
    async decide(batch) {
      const replies = await store.decide(batch);
      repliedAt = performance.now();
      return replies;
    },
  },
  secret: 'the secret of a drill, 32 characters',
  prefix,
  // Called before `check` returns, so a node that is killed here has not used the unit.
  onDecision({ decision, durationMs, source }) {
    if (!decision?.allowed) return;
    const now = performance.now();
    const from = source === 'lease' ? now - durationMs : Math.max(now - durationMs, repliedAt);
    writeSync(file, `${from + clock.low} ${now + clock.high} ${source}\n`);
  },
});
const policy = definePolicy({
  name: 'leased',
  levels: [
    { level: 'global', algorithm: 'sliding-counter', subWindows: 50, limit, windowMs, lease: { forMs } },
  ],
});

/**
 * Returns the bounds of the difference between Redis's clock and the monotonic clock: TIME was read between the sending of its
 * command and its reply, and states whole µs.
 */
async function readClock(): Promise<{ low: number; high: number }> {
  const redis = await connectTestRedis(clockUrl);
  const bounds = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  for (let reads = 0; reads < CLOCK_READS; reads += 1) {
    const sentAt = performance.now();
    const [seconds, micros] = await redis.time();
    const now = Number(seconds) * 1_000 + Number(micros) / 1_000;
    bounds.low = Math.max(bounds.low, now - performance.now());
    bounds.high = Math.min(bounds.high, now + 0.001 - sentAt);
  }
  redis.disconnect();
  return bounds;
}

async function call(): Promise<void> {
  try {
    await limiter.check(policy, {});
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
}

const changeShape = z.object({ limit: z.number(), version: z.number() });
process.on('message', (message) => {
  const { limit: changed, version } = changeShape.parse(message);
  limiter.setOverrides([{ policy: 'leased', level: 'global', limit: changed, version }]);
  process.send?.({ applied: version });
});
process.once('disconnect', () => process.exit());
process.send?.({ isStarted: true });

let rate = 0;
let changesAt = 0;
let due = 0;
let tickedAt = performance.now();
for (;;) {
  const now = performance.now();
  if (now >= changesAt) {
    rate = RATES[Math.floor(Math.random() * RATES.length)] ?? 0;
    changesAt = now + steadyMs * (1 + Math.random());
  }
  // A frozen process does not make up for its calls.
  due += (rate * Math.min(now - tickedAt, 10 * TICK_MS)) / 1_000;
  tickedAt = now;
  for (; due >= 1; due -= 1) void call();
  await sleep(TICK_MS);
}
