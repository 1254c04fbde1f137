import { setTimeout as sleep } from 'node:timers/promises';
import { createLimiter, resolvePolicy } from '../server/limiter/index';
import { createQueues } from '../server/limiter/queue';
import { ioredisStore } from '../server/limiter/stores';
import { connectTestRedis } from '../test/redis';
import type { QueueMessage, QueueNodePlan } from './faults/queue-promises';

const { redisUrl, prefix, node, tickets, limit, windowMs }: QueueNodePlan = JSON.parse(process.argv[2] ?? '');
/** A direct call is sent this often, which no node may admit while tickets wait. */
const DIRECT_EVERY_MS = 100;
const JOINS_AT_ONCE = 64;

const limiter = createLimiter({
  queues: createQueues,
  store: ioredisStore(await connectTestRedis(redisUrl)),
  secret: 'the secret of a drill, 32 characters',
  prefix,
  timeoutMs: 5_000,
});
const policy = resolvePolicy<unknown>(
  {
    levels: [
      { level: 'user', limit: 1_000_000, windowMs },
      { level: 'global', limit, windowMs, queue: { maxLength: 100_000, maxWaitMs: 86_400_000 } },
    ],
    requestId: () => 'id',
    message: { en: 'Too many.' },
  },
  'promises',
);
const queue = limiter.queue(policy);
const callOf = (caller: string) => ({ subjects: { user: caller }, requestId: caller });
const report = (message: QueueMessage) => process.send?.(message);

process.once('disconnect', () => process.exit());
queue.serve({
  onTurn: async () => ({ outcome: 'served' }),
  onServed: (turns) => {
    for (const { servedAt, promisedAt, payload } of turns)
      report({ at: servedAt, promisedAt, caller: payload });
  },
});
let calls = 0;
setInterval(async () => {
  calls += 1;
  const caller = `direct ${node} ${calls}`;
  const decision = await limiter.decide(policy, callOf(caller));
  if (decision.allowed) report({ at: decision.now, caller });
}, DIRECT_EVERY_MS);

// Direct calls take places one by one, so that these free one by one in each window.
await sleep(windowMs);
let waiting = 0;
async function join(index: number): Promise<void> {
  const caller = `shopper ${node} ${index}`;
  const joined = await queue.join({ ...callOf(caller), group: 'coupon', payload: caller });
  if (joined.queued) waiting += 1;
  else if (joined.decision.allowed) report({ at: joined.decision.now, caller });
}
for (let first = 0; first < tickets; first += JOINS_AT_ONCE) {
  const count = Math.min(JOINS_AT_ONCE, tickets - first);
  await Promise.all(Array.from({ length: count }, (_, index) => join(first + index)));
}
report({ waiting });
