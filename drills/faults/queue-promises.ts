import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { freshPrefix } from '../../test/redis';
import { type Drill, fullSize, type Scene } from '../drill';
import { forkProcess } from '../fork-process';

/** A process that joins and serves the queue of a window. */
export interface QueueNodePlan {
  redisUrl: string;
  prefix: string;
  node: number;
  /** The number of callers of this process that join. */
  tickets: number;
  limit: number;
  windowMs: number;
}

/** A charge of the window. Instants are epoch ms by Redis's clock; `promisedAt` only of a ticket. */
const chargeShape = z.object({ at: z.number(), promisedAt: z.number().optional(), caller: z.string() });
/** The number of callers that got a ticket, once all have called. */
const joinedShape = z.object({ waiting: z.number() });
const messageShape = z.union([chargeShape, joinedShape]);
type Charge = z.infer<typeof chargeShape>;
export type QueueMessage = z.infer<typeof messageShape>;

const NODES = 2;
const TICKETS = 2_000;
const sale = { limit: 100, windowMs: 10_000 };

/** The promises of the queue on the Redis of a small sale, without a fault. It takes 20 windows of 10 s. */
export const queuePromises: Drill = {
  name: 'queue-promises',
  description: 'two nodes serve 2,000 tickets behind a window of 100 in 10 s, with direct calls all the time',
  store: { kind: 'single', appendonly: false },
  ledgers: ['postgres'],
  // More shoppers than coupons: a coupon that returns after a lost reply needs another buyer.
  sizeOn: () => ({ ...fullSize, shoppers: 60, stock: 30 }),
  async inject({ topology, note, reportProblem }) {
    const charges: Charge[] = [];
    const waiting: number[] = [];
    const onMessage = (message: unknown) => {
      const parsed = messageShape.parse(message);
      if ('at' in parsed) charges.push(parsed);
      else waiting.push(parsed.waiting);
    };
    const plan = { ...sale, redisUrl: topology.store.url, prefix: freshPrefix(), tickets: TICKETS / NODES };
    const nodes = await Promise.all(
      Array.from({ length: NODES }, (_, node) =>
        forkProcess('drills/queue-process.ts', { plan: { ...plan, node }, onMessage }),
      ),
    );
    const countServed = () => charges.filter(({ promisedAt }) => promisedAt !== undefined).length;
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    try {
      const deadline = performance.now() + (TICKETS / sale.limit + 4) * sale.windowMs + 5_000;
      const isDone = () => waiting.length === NODES && countServed() >= sum(waiting);
      while (!isDone() && performance.now() < deadline) await sleep(100);
    } finally {
      await Promise.all(nodes.map(({ kill }) => kill()));
    }
    note(`${countServed()} of ${sum(waiting)} tickets served`);
    if (countServed() !== sum(waiting)) reportProblem('a ticket was served twice or never');
    judgeCharges(charges, { note, reportProblem });
  },
};

/** Compares each turn with its promise and with the instant at which its place freed. */
function judgeCharges(
  unordered: readonly Charge[],
  { note, reportProblem }: Pick<Scene, 'note' | 'reportProblem'>,
) {
  const charges = unordered.toSorted((one, next) => one.at - next.at);
  const lateMs = charges.flatMap(({ at, promisedAt }) => (promisedAt === undefined ? [] : [at - promisedAt]));
  /** Of each charge after the first window: the time for which its place was free. Below 0, a window is too full. */
  const freeMs = charges
    .flatMap(({ at }, index) => {
      const before = charges[index - sale.limit];
      return before ? [at - before.at - sale.windowMs] : [];
    })
    .sort((one, next) => one - next);
  const spanMs = (charges.at(-1)?.at ?? 0) - (charges[sale.limit - 1]?.at ?? 0);
  const unusedMs = freeMs.reduce((total, ms) => total + Math.max(0, ms), 0);

  const judge = (what: string, value: number, bound: { min: number } | { max: number }) => {
    note(`${what}: ${Number(value.toPrecision(3))}`);
    const isKept = 'min' in bound ? value >= bound.min : value <= bound.max;
    if (!isKept) reportProblem(`${what}: ${value} misses its goal ${JSON.stringify(bound)}`);
  };
  const inTime = lateMs.filter((ms) => ms <= 0).length / lateMs.length;
  judge('tickets served by their turn, %', inTime * 100, { min: 99 });
  judge('latest turn after its promise, ms', Math.max(...lateMs), { max: 500 });
  judge('time after a place frees, median, ms', freeMs[Math.floor(freeMs.length / 2)] ?? Number.NaN, {
    max: 25,
  });
  judge('shortest time after a place frees, ms', freeMs[0] ?? Number.NaN, { min: 0 });
  judge('unused places, %', (unusedMs / (sale.limit * spanMs)) * 100, { max: 1 });
  const callers = new Set(charges.map(({ caller }) => caller)).size;
  judge('callers charged twice', charges.length - callers, { max: 0 });
}
