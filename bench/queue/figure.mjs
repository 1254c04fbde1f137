import { StepError } from '../../scripts/lib/steps.mjs';
import { digits, withSpread } from '../report/numbers.mjs';
import { spreadOf } from '../report/spread.mjs';
import { table } from '../report/table.mjs';
import { startQueueNodes } from './nodes.mjs';
import { DIRECT_EVERY_MS, keepPromises, listFairnessGoals, listPromiseGoals, waitOf } from './promises.mjs';

const efforts = {
  full: { tickets: 2_000, limit: 100, windowMs: 10_000, waiting: [100, 5_000], count: 500, rounds: 5 },
  quick: { tickets: 300, limit: 100, windowMs: 1_000, waiting: [100, 1_000], count: 200, rounds: 1 },
  smoke: { tickets: 20, limit: 10, windowMs: 200, waiting: [10, 50], count: 20, rounds: 1 },
};

/**
 * @typedef {import('./promises.mjs').Fairness} Fairness
 * @typedef {import('./promises.mjs').Promises} Promises
 * @typedef {Awaited<ReturnType<import('./queue-node').Tasks['cost']>>} Cost
 */

/** @type {import('../run/figure').Figure} */
export const queue = {
  name: 'queue',
  title: 'The queue',
  ownLoad: 1,
  async measure(lab) {
    const effort = efforts[lab.size];
    await lab.empty();
    const { nodes, stop } = await startQueueNodes(lab.redisUrl, 2);
    lab.onEnd(stop);
    const [node] = nodes;
    if (!node) throw new StepError('No node started.');
    /** @type {{ stock: number | null, fairness: Fairness }[]} */
    const fair = [];
    for (const stock of lab.size === 'smoke' ? [100] : [null, 100]) {
      lab.note(`queue, fairness, stock ${stock}`);
      fair.push({ stock, fairness: await node('fairness', { stock }) });
    }
    const costs = await measureCosts(node, effort, lab);
    lab.note('queue, promises');
    const promises = await keepPromises(nodes, effort);
    return {
      text: describe(fair, promises, costs, effort),
      goals: listGoals(fair, promises, costs),
      plots: {},
      data: { fair, promises, costs },
    };
  },
};

/**
 * Measures the costs by number of waiting tickets.
 *
 * @param {import('./nodes.mjs').QueueNode} node
 * @param {typeof efforts.full} effort
 * @param {import('../run/figure').Lab} lab
 */
async function measureCosts(node, { waiting: steps, count, rounds }, lab) {
  /** @type {Map<number, Cost[]>} */
  const taken = new Map(steps.map((waiting) => [waiting, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const waiting of round % 2 === 0 ? steps : steps.toReversed()) {
      lab.note(`queue, ${waiting} waiting, round ${round + 1} of ${rounds}`);
      const sale = { name: `cost-${waiting}-${round}`, limit: 100, windowMs: 1_000 };
      taken.get(waiting)?.push(await node('cost', { ...sale, waiting, count }));
      await lab.empty();
    }
  }
  return [...taken].map(([waiting, rows]) => ({
    waiting,
    bytes: spreadOf(rows.map(({ bytes }) => bytes)),
    joinUs: spreadOf(rows.map(({ joinUs }) => joinUs)),
    turnUs: spreadOf(rows.map(({ turnUs }) => turnUs)),
    turnCalls: spreadOf(rows.map(({ turnCalls }) => turnCalls)),
    decisions: spreadOf(rows.map(({ joinUs, turnUs, plainUs }) => (joinUs + turnUs) / plainUs)),
  }));
}

/**
 * @param {readonly { stock: number | null, fairness: Fairness }[]} fair
 * @param {Promises} promises
 * @param {Awaited<ReturnType<typeof measureCosts>>} costs
 */
function listGoals(fair, promises, costs) {
  const everyone = fair.find(({ stock }) => stock === null)?.fairness;
  const [few, many] = [costs[0], costs.at(-1)];
  return [
    ...(everyone ? listFairnessGoals(everyone) : []),
    ...listPromiseGoals(promises),
    ...(few && many
      ? [
          { what: 'queue, plain decisions a ticket costs Redis', bound: { max: 5 }, reached: few.decisions },
          { what: 'queue, Redis calls for a turn', bound: { max: 0.2 }, reached: few.turnCalls },
          { what: 'queue, bytes a waiting ticket', bound: { max: 500 }, reached: many.bytes },
          {
            what: `queue, join with ${many.waiting} waiting ÷ with ${few.waiting}`,
            bound: { max: 1.33 },
            reached: spreadOf([many.joinUs.median / few.joinUs.median]),
          },
          {
            what: `queue, turn with ${many.waiting} waiting ÷ with ${few.waiting}`,
            bound: { max: 1.33 },
            reached: spreadOf([many.turnUs.median / few.turnUs.median]),
          },
        ]
      : []),
  ];
}

/**
 * @param {readonly { stock: number | null, fairness: Fairness }[]} fair
 * @param {Promises} promises
 * @param {Awaited<ReturnType<typeof measureCosts>>} costs
 * @param {typeof efforts.full} effort
 */
function describe(fair, promises, costs, { limit, windowMs, count }) {
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
  return `**Fairness.** 450 people and 50 pollers press within five seconds on a full window of 100 in 10 s. People come back up to half a
second after the countdown of a refusal, pollers call twenty times a second; in the queue, people press once. Redis decides on
a simulated clock, so the result is the same in each run.

${table(['', 'mean wait of people, s', 'of pollers, s', 'people admitted', 'pollers admitted', 'calls', 'fullest window'], rows)}

**Promises.** Two nodes serve ${promises.tickets} tickets behind a window of ${limit} in ${windowMs / 1000} s, on Redis's clock, and each sends a direct call every
${DIRECT_EVERY_MS} ms. ${digits(promises.inTime * 100)} % were served by their turn, the latest ${digits(promises.latestMs)} ms after it. From the freeing of a place to its charge:
${withSpread(promises.lag)} ms, at least ${digits(promises.shortestLag)} ms (below 0, a window would be too full). Unused places: ${digits(promises.unused * 100)} %. Charges ${promises.charges}, callers ${promises.callers}.

**Cost.** ${count} joins and ${count} turns, served at the pace of 100 a second on a simulated clock, and ${count} plain decisions, each on Redis
with that many tickets waiting.

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
