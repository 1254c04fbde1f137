/** One node that joins and serves the queue of a policy: `queue-node.ts REDIS_URL`. */
import { createLab } from '../../server/lab/lab';
import { createSimulation } from '../../server/lab/simulation';
import { createLimiter, resolvePolicy } from '../../server/limiter/index';
import { createQueues, type Joined, type Turn } from '../../server/limiter/queue';
import { ioredisStore } from '../../server/limiter/stores';
import { connect } from '../contenders/contender';
import { secret } from '../contenders/floodgate';
import { serveTasks } from '../harness/tasks';

const [redisUrl = ''] = process.argv.slice(2);
const { client: redis } = await connect(redisUrl);
const store = ioredisStore(redis);

/** Opens the queue of a policy, on Redis's clock or on the given one. */
function openQueue({ name, limit, windowMs, clock }: Sale & { clock?: () => number }) {
  const limiter = createLimiter({
    ...{ store, queues: createQueues, secret, prefix: 'q:', timeoutMs: 5_000 },
    ...(clock && { clock }),
  });
  const queue = { maxLength: 100_000, maxWaitMs: 86_400_000 };
  const policy = resolvePolicy<unknown>(
    {
      levels: [
        { level: 'user', limit: 1_000_000, windowMs },
        { level: 'global', limit, windowMs, queue },
      ],
      requestId: () => 'id',
      message: { en: 'Too many.' },
    },
    name,
  );
  const call = (caller: string) => ({ subjects: { user: caller }, requestId: caller });
  return {
    load: limiter.ready,
    queue: limiter.queue(policy),
    decide: (caller: string) => limiter.decide(policy, call(caller)),
    join: (caller: string): Promise<Joined> =>
      limiter.queue(policy).join({ ...call(caller), group: 'coupon', payload: caller }),
  };
}

interface Sale {
  name: string;
  limit: number;
  windowMs: number;
}

/** A charge of the window. Instants are epoch ms by Redis's clock. */
export interface Charge {
  at: number;
  /** The promised turn of a ticket; absent for a direct call. */
  promisedAt?: number;
  caller: string;
}

/** The cost of a ticket. */
export interface TicketCost {
  bytes: number;
  /** CPU time of Redis. */
  joinUs: number;
  turnUs: number;
  /** Script calls. */
  turnCalls: number;
  /** CPU time of Redis in plain decisions. */
  decisions: number;
}

/** Charges that this node has seen. */
const charges: Charge[] = [];
let stopServing: (() => Promise<void>) | undefined;

const tasks = {
  /** Serves the queue until `stop`, and sends a direct call every few ms, which no node may admit while tickets wait. */
  async serve({ directEveryMs, ...sale }: Sale & { directEveryMs: number }) {
    const { queue, decide } = openQueue(sale);
    const server = queue.serve({
      onTurn: async () => ({ outcome: 'served' }),
      onServed: (turns) => charges.push(...turns.map(toCharge)),
    });
    let calls = 0;
    const timer = setInterval(async () => {
      calls += 1;
      const caller = `direct ${process.pid} ${calls}`;
      const decision = await decide(caller);
      if (decision.allowed) charges.push({ at: decision.now, caller });
    }, directEveryMs);
    stopServing = async () => {
      clearInterval(timer);
      await server.stop();
    };
  },
  /** Sends calls, and joins those that the window does not admit. */
  async join({ count, first, ...sale }: Sale & { count: number; first: number }) {
    const { join } = openQueue(sale);
    let waiting = 0;
    await inChunks(count, async (index) => {
      const caller = `shopper ${first + index}`;
      const joined = await join(caller);
      if (joined.queued) waiting += 1;
      else if (joined.decision.allowed) charges.push({ at: joined.decision.now, caller });
    });
    return { waiting };
  },
  waiting: (sale: Sale) => openQueue(sale).queue.state(),
  /** Returns the charges since the last call. */
  charges: () => charges.splice(0),
  async stop() {
    await stopServing?.();
  },
  /** Measures Redis for joins and turns with that many waiting tickets, at the pace of the window, on a simulated clock. */
  async cost({ waiting, count, ...sale }: Sale & { waiting: number; count: number }): Promise<TicketCost> {
    const origin = Date.now();
    const simulation = createSimulation();
    const clock = () => origin + simulation.timers.now();
    const { load, queue, join } = openQueue({ ...sale, clock });
    // Like a node at its start.
    await load();
    const never = new AbortController().signal;
    const run = (isDone: () => boolean) => simulation.run({ isDone, onTime: () => undefined, signal: never });
    for (let index = 0; index < sale.limit; index += 1) {
      simulation.at((index * sale.windowMs) / sale.limit, async () => void (await join(`first ${index}`)));
    }
    await run(() => false);
    await inChunks(waiting, (index) => join(`waits ${index}`));
    const bytes = (await bytesOf(`q:{${sale.name}}:queue*`)) / waiting;
    const joins = await costOf(() => inChunks(count, (index) => join(`joins ${index}`)));
    let served = 0;
    const server = queue.serve({
      timers: simulation.timers,
      onTurn: async () => ({ outcome: 'served' }),
      onServed: (turns) => {
        served += turns.length;
      },
    });
    // The first call finds no free place, which is the cost of a start and not of a turn.
    await run(() => served > 0);
    const first = served;
    const turns = await costOf(() => run(() => served >= first + count));
    const turnCount = served - first;
    await server.stop();
    const plain = openQueue({ ...sale, name: `${sale.name}-plain`, limit: 1_000_000, clock });
    const plainly = await costOf(() => inChunks(count, (index) => plain.decide(`plain ${index}`)));
    const [joinUs, turnUs] = [joins.us / count, turns.us / turnCount];
    const decisions = (joinUs + turnUs) / (plainly.us / count);
    return { bytes, joinUs, turnUs, turnCalls: turns.calls / turnCount, decisions };
  },
  async fairness({ stock }: { stock: number | null }) {
    const lab = createLab({ urls: [redisUrl], redis, log: { debug: () => undefined, warn: console.error } });
    try {
      return await lab.compareFairness({ people: 450, pollers: 50, limit: 100, windowMs: 10_000, stock });
    } finally {
      await lab.stop();
    }
  },
};
export type QueueTasks = typeof tasks;

const toCharge = ({ servedAt, promisedAt, payload }: Turn): Charge => ({
  at: servedAt,
  promisedAt,
  caller: payload,
});

async function inChunks(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < count; start += 64) {
    await Promise.all(Array.from({ length: Math.min(64, count - start) }, (_, index) => run(start + index)));
  }
}

/** Returns the memory of the keys of a queue. */
async function bytesOf(pattern: string): Promise<number> {
  const keys = await redis.keys(pattern);
  const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)));
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

/** Reads the CPU time of Redis so far, in µs, and the number of script calls. */
async function readRedis() {
  const text = await redis.info('everything');
  const number = (name: string) => Number(new RegExp(`${name}(.+?)[,\\r]`).exec(text)?.[1] ?? 0);
  return {
    us: (number('used_cpu_user:') + number('used_cpu_sys:')) * 1e6,
    calls: number('cmdstat_fcall:calls=') + number('cmdstat_evalsha:calls='),
  };
}

async function costOf(run: () => Promise<void>): Promise<{ us: number; calls: number }> {
  const before = await readRedis();
  await run();
  const after = await readRedis();
  return { us: after.us - before.us, calls: after.calls - before.calls };
}

serveTasks(tasks);
