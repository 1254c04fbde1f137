import { StepError } from '../../scripts/lib/steps.mjs';
import type { Figure, Lab } from '../harness/lab';
import { digits, type Goal, table, withSpread } from '../harness/report';
import { measureInRounds, type Spreads, spreadOf, spreadsOf } from '../harness/rounds';
import type { TicketCost } from '../servers/queue-node';
import {
  type Fairness,
  keepPromises,
  listFairnessGoals,
  listPromiseGoals,
  type Promises,
  type QueueNode,
  startQueueNode,
  waitOf,
} from './queue-promises';

const efforts = {
  full: { tickets: 2_000, limit: 100, windowMs: 10_000, waiting: [100, 5_000], count: 500, rounds: 5 },
  smoke: { tickets: 20, limit: 10, windowMs: 200, waiting: [10, 50], count: 20, rounds: 1 },
};

/** The fairness of a sale with that many coupons; `null`: enough for everyone. */
interface FairSale {
  stock: number | null;
  fairness: Fairness;
}

/** The cost of tickets by number of waiting ones. */
interface CostRow extends Spreads<TicketCost> {
  waiting: number;
}

export const queue: Figure = {
  name: 'queue',
  ownLoad: 1,
  async measure(lab) {
    const effort = efforts[lab.size];
    await lab.empty();
    const nodes = [await startQueueNode(lab.redisUrl), await startQueueNode(lab.redisUrl)];
    for (const { stop } of nodes) lab.onEnd(stop);
    const [node] = nodes;
    if (!node) throw new StepError('No node started.');
    const fair: FairSale[] = [];
    for (const stock of lab.size === 'smoke' ? [100] : [null, 100]) {
      lab.note(`fairness, stock ${stock}`);
      fair.push({ stock, fairness: await node.call('fairness', { stock }) });
    }
    const costs = await measureCosts(node, effort, lab);
    lab.note('promises');
    const promises = await keepPromises(nodes, effort);
    return {
      text: describe(fair, costs),
      goals: listGoals(fair, promises, costs),
      data: { fair, promises, costs },
    };
  },
};

type Effort = (typeof efforts)['full'];

async function measureCosts(
  node: QueueNode,
  { waiting: steps, count, rounds }: Effort,
  lab: Lab,
): Promise<CostRow[]> {
  const taken = await measureInRounds(steps, {
    rounds,
    async measure(waiting) {
      const sale = { name: `cost-${waiting}`, limit: 100, windowMs: 1_000 };
      const cost = await node.call('cost', { ...sale, waiting, count });
      await lab.empty();
      return cost;
    },
    note: lab.note,
  });
  return [...taken].map(([waiting, costs]) => ({ waiting, ...spreadsOf(costs) }));
}

function listGoals(fair: readonly FairSale[], promises: Promises, costs: readonly CostRow[]): Goal[] {
  const everyone = fair.find(({ stock }) => stock === null)?.fairness;
  const [few, many] = costs;
  if (!few || !many) throw new StepError('The cost of a ticket was not measured twice.');
  const ratio = `with ${many.waiting} waiting ÷ with ${few.waiting}`;
  return [
    ...(everyone ? listFairnessGoals(everyone) : []),
    ...listPromiseGoals(promises),
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

function describe(fair: readonly FairSale[], costs: readonly CostRow[]): string {
  const rows = fair.flatMap(({ stock, fairness }) =>
    Object.entries(fairness).map(([side, { people, pollers, calls, worst }]) => [
      `${side}, ${stock === null ? 'a coupon for everyone' : `${stock} coupons`}`,
      digits(waitOf(people) / 1000),
      digits(waitOf(pollers) / 1000),
      String(people.admittedAt.length),
      String(pollers.admittedAt.length),
      digits(calls),
      `${worst} of 100`,
    ]),
  );
  return `${table(['', 'mean wait of people, s', 'of pollers, s', 'people admitted', 'pollers admitted', 'calls', 'fullest window'], rows)}

${table(
  [
    'waiting',
    'bytes a ticket',
    'join, µs of Redis',
    'turn (serve and finish), µs',
    'calls a turn',
    'join and turn ÷ a plain decision',
  ],
  costs.map(({ waiting, bytes, joinUs, turnUs, turnCalls, decisions }) => [
    digits(waiting),
    ...[bytes, joinUs, turnUs, turnCalls, decisions].map(withSpread),
  ]),
)}`;
}
