import { setTimeout as after } from 'node:timers/promises';
import { StepError } from '../../scripts/lib/steps.mjs';
import { spreadOf } from '../report/spread.mjs';

/**
 * @typedef {import('./queue-node').Charge} Charge
 * @typedef {Awaited<ReturnType<import('./queue-node').Tasks['fairness']>>} Fairness
 * @typedef {Awaited<ReturnType<typeof keepPromises>>} Promises
 */

/** Each node sends a direct call this often while tickets wait. */
export const DIRECT_EVERY_MS = 100;

/**
 * Serves tickets by two nodes, with direct calls all the time, and compares each turn with its promise and with the
 * instant at which its place freed.
 *
 * @param {readonly import('./nodes.mjs').QueueNode[]} nodes
 * @param {{ tickets: number, limit: number, windowMs: number }} sale
 */
export async function keepPromises(nodes, { tickets, limit, windowMs }) {
  const [first, other] = nodes;
  if (!first || !other) throw new StepError('Two nodes are needed.');
  const sale = { name: 'promises', limit, windowMs };
  for (const node of nodes) await node('serve', { ...sale, directEveryMs: DIRECT_EVERY_MS });
  // Direct calls take places one by one, so that these free one by one in each window.
  await after(windowMs);
  const joined = [
    await first('join', { ...sale, first: 0, count: tickets / 2 }),
    await other('join', { ...sale, first: tickets / 2, count: tickets / 2 }),
  ];
  const deadline = performance.now() + (tickets / limit + 3) * windowMs + 5_000;
  while ((await first('waiting', sale)).waiting > 0 && performance.now() < deadline) await after(100);
  for (const node of nodes) await node('stop');
  /** @type {Charge[]} */
  const charges = (await Promise.all(nodes.map((node) => node('charges')))).flat();
  const waited = joined.reduce((sum, { waiting }) => sum + waiting, 0);
  return { waited, ...summarizeCharges(charges, { limit, windowMs }) };
}

/**
 * @param {readonly Charge[]} unordered
 * @param {{ limit: number, windowMs: number }} sale
 */
function summarizeCharges(unordered, { limit, windowMs }) {
  const charges = unordered.toSorted((one, next) => one.at - next.at);
  const served = charges.flatMap(({ at, promisedAt }) => (promisedAt === undefined ? [] : [at - promisedAt]));
  /** Time from the freeing of a place to its next charge, of each charge after the first window. */
  const lags = charges.flatMap(({ at }, index) => {
    const before = charges[index - limit];
    return before ? [at - before.at - windowMs] : [];
  });
  const firstFull = charges[limit - 1]?.at ?? 0;
  const lastAt = charges.at(-1)?.at ?? 0;
  const unusedMs = lags.reduce((sum, lag) => sum + Math.max(0, lag), 0);
  return {
    tickets: served.length,
    callers: new Set(charges.map(({ caller }) => caller)).size,
    charges: charges.length,
    inTime: served.filter((lateMs) => lateMs <= 0).length / served.length,
    latestMs: Math.max(...served),
    lag: spreadOf(lags),
    // A negative lag is an excess.
    shortestLag: Math.min(...lags),
    // Of the time of all places. A place that stays free after the last ticket is not unused.
    unused: unusedMs / (limit * (lastAt - firstFull)),
  };
}

/**
 * @param {Fairness['queue']['people']} group
 * @returns {number}
 */
export const waitOf = ({ meanWaitMs }) => meanWaitMs ?? Number.NaN;

/**
 * @param {Fairness} fairness
 * @returns {import('../report/goals.mjs').Goal[]}
 */
export function listFairnessGoals({ queue }) {
  const difference = Math.abs(waitOf(queue.pollers) / waitOf(queue.people) - 1) * 100;
  return [
    { what: 'queue, difference of mean waits, %', bound: { max: 5 }, reached: spreadOf([difference]) },
    {
      what: 'queue, fullest window of 100, people and pollers',
      bound: { max: 100 },
      reached: spreadOf([queue.worst]),
    },
  ];
}

/**
 * @param {Promises} promises
 * @returns {import('../report/goals.mjs').Goal[]}
 */
export function listPromiseGoals({ waited, tickets, charges, callers, ...promises }) {
  const { inTime, latestMs, lag, unused, shortestLag } = promises;
  const one = (/** @type {number} */ value) => spreadOf([value]);
  const wrong = Math.abs(waited - tickets) + charges - callers;
  return [
    { what: 'queue, tickets served by their turn, %', bound: { min: 99 }, reached: one(inTime * 100) },
    { what: 'queue, latest turn after its promise, ms', bound: { max: 500 }, reached: one(latestMs) },
    { what: 'queue, time after a place frees, ms', bound: { max: 25 }, reached: lag },
    { what: 'queue, shortest time after a place frees, ms', bound: { min: 0 }, reached: one(shortestLag) },
    { what: 'queue, tickets served twice or never', bound: { max: 0 }, reached: one(wrong) },
    { what: 'queue, unused places, %', bound: { max: 1 }, reached: one(unused * 100) },
  ];
}
