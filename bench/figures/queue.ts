import { createSimulation } from '../../server/lab/simulation';
import { createLimiter, resolvePolicy } from '../../server/limiter/index';
import { createQueues } from '../../server/limiter/queue';
import { ioredisStore } from '../../server/limiter/stores';
import { connect } from '../contenders/contender';
import { secret } from '../contenders/floodgate';
import type { Figure, Lab } from '../harness/lab';
import { digits, type Goal, table, withSpread } from '../harness/report';
import { measureInRounds, type Spreads, spreadOf, spreadsOf } from '../harness/rounds';

const efforts = {
  full: { waiting: [100, 5_000], count: 500, rounds: 5 },
  smoke: { waiting: [10, 50], count: 20, rounds: 1 },
};
const LIMIT = 100;
const WINDOW_MS = 1_000;

/** The cost of a ticket. */
interface TicketCost {
  bytes: number;
  /** CPU time of Redis. */
  joinUs: number;
  turnUs: number;
  /** Script calls. */
  turnCalls: number;
  /** CPU time of Redis in plain decisions. */
  decisions: number;
}

/** The cost of tickets by number of waiting ones. */
interface Row extends Spreads<TicketCost> {
  waiting: number;
}

/** Redis alone is measured, so this process may join and serve. */
export const queue: Figure = {
  name: 'queue',
  ownLoad: 1,
  async measure(lab) {
    const { waiting: steps, count, rounds } = efforts[lab.size];
    const { client, stop } = await connect(lab.redisUrl);
    lab.onEnd(stop);
    const taken = await measureInRounds(steps, {
      rounds,
      async measure(waiting) {
        await lab.empty();
        return measureTickets({ waiting, count }, client, lab);
      },
      note: lab.note,
    });
    const rows = [...taken].map(([waiting, costs]) => ({ waiting, ...spreadsOf(costs) }));
    return { text: describe(rows), goals: listGoals(rows) };
  },
};

type Client = Awaited<ReturnType<typeof connect>>['client'];

/** Measures joins and turns with that many waiting tickets, at the pace of the window, on a simulated clock. */
async function measureTickets(
  { waiting, count }: { waiting: number; count: number },
  client: Client,
  lab: Lab,
): Promise<TicketCost> {
  const origin = Date.now();
  const simulation = createSimulation();
  const limiter = createLimiter({
    ...{ store: ioredisStore(client), queues: createQueues, secret, prefix: 'q:', timeoutMs: 5_000 },
    clock: () => origin + simulation.timers.now(),
  });
  // Like a node at its start.
  await limiter.ready();
  const policyOf = (name: string, limit: number) =>
    resolvePolicy<unknown>(
      {
        levels: [
          { level: 'user', limit: 1_000_000, windowMs: WINDOW_MS },
          {
            level: 'global',
            limit,
            windowMs: WINDOW_MS,
            queue: { maxLength: 100_000, maxWaitMs: 86_400_000 },
          },
        ],
        requestId: () => 'id',
        message: { en: 'Too many.' },
      },
      name,
    );
  const sale = limiter.queue(policyOf('sale', LIMIT));
  const callOf = (caller: string) => ({ subjects: { user: caller }, requestId: caller });
  const join = (caller: string) => sale.join({ ...callOf(caller), group: 'coupon', payload: caller });
  const never = new AbortController().signal;
  const run = (isDone: () => boolean) => simulation.run({ isDone, onTime: () => undefined, signal: never });
  for (let index = 0; index < LIMIT; index += 1) {
    simulation.at((index * WINDOW_MS) / LIMIT, async () => void (await join(`first ${index}`)));
  }
  await run(() => false);
  await inChunks(waiting, (index) => join(`waits ${index}`));
  const bytes = (await lab.measureBytes('q:{sale}:queue*')) / waiting;
  const joins = await costOf(() => inChunks(count, (index) => join(`joins ${index}`)), client, lab);
  let served = 0;
  const server = sale.serve({
    timers: simulation.timers,
    onTurn: async () => ({ outcome: 'served' }),
    onServed: (turns) => {
      served += turns.length;
    },
  });
  // The first call finds no free place, which is the cost of a start and not of a turn.
  await run(() => served > 0);
  const first = served;
  const turns = await costOf(() => run(() => served >= first + count), client, lab);
  const turnCount = served - first;
  await server.stop();
  const plain = policyOf('plain', 1_000_000);
  const decideAll = () => inChunks(count, (index) => limiter.decide(plain, callOf(`plain ${index}`)));
  const plainly = await costOf(decideAll, client, lab);
  const [joinUs, turnUs] = [joins.us / count, turns.us / turnCount];
  const decisions = (joinUs + turnUs) / (plainly.us / count);
  return { bytes, joinUs, turnUs, turnCalls: turns.calls / turnCount, decisions };
}

async function inChunks(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < count; start += 64) {
    await Promise.all(Array.from({ length: Math.min(64, count - start) }, (_, index) => run(start + index)));
  }
}

/** Returns the CPU time of Redis for some work, in µs, and the number of its script calls. */
async function costOf(work: () => Promise<void>, client: Client, lab: Lab) {
  const countCalls = async () => {
    const counted = (await client.info('commandstats')).matchAll(/cmdstat_(?:fcall|evalsha):calls=(\d+)/g);
    return [...counted].reduce((sum, [, calls]) => sum + Number(calls), 0);
  };
  const before = { us: await lab.redisCpuUs(), calls: await countCalls() };
  await work();
  return { us: (await lab.redisCpuUs()) - before.us, calls: (await countCalls()) - before.calls };
}

function listGoals(rows: readonly Row[]): Goal[] {
  const [few, many] = rows;
  if (!few || !many) throw new TypeError('the cost of a ticket was not measured twice');
  const ratio = `with ${many.waiting} waiting ÷ with ${few.waiting}`;
  return [
    { what: 'queue, plain decisions a ticket costs Redis', bound: { max: 5 }, reached: few.decisions },
    { what: 'queue, Redis calls for a turn', bound: { max: 0.2 }, reached: few.turnCalls },
    { what: 'queue, bytes a waiting ticket', bound: { max: 500 }, reached: many.bytes },
    ...(['join', 'turn'] as const).map((what) => ({
      what: `queue, ${what} ${ratio}`,
      bound: { max: 1.33 },
      reached: spreadOf([many[`${what}Us`].median / few[`${what}Us`].median]),
    })),
  ];
}

function describe(rows: readonly Row[]): string {
  return table(
    [
      'waiting',
      'bytes a ticket',
      'join, µs of Redis',
      'turn (serve and finish), µs',
      'calls a turn',
      'join and turn ÷ a plain decision',
    ],
    rows.map(({ waiting, bytes, joinUs, turnUs, turnCalls, decisions }) => [
      digits(waiting),
      ...[bytes, joinUs, turnUs, turnCalls, decisions].map(withSpread),
    ]),
  );
}
