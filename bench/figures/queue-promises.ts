import { setTimeout as after } from 'node:timers/promises';
import { StepError } from '../../scripts/lib/steps.mjs';
import { type BenchProcess, startProcess } from '../harness/process';
import type { Goal } from '../harness/report';
import { type Spread, spreadOf } from '../harness/rounds';
import type { Charge, QueueTasks } from '../servers/queue-node';

/** A process that joins and serves queues. */
export type QueueNode = BenchProcess<QueueTasks, unknown>;

export function startQueueNode(redisUrl: string): Promise<QueueNode> {
  return startProcess('bench/servers/queue-node.ts', [redisUrl], { waitMs: 300_000 });
}

/** Waits of people and of pollers, with refusals and with a queue. */
export type Fairness = Awaited<ReturnType<QueueTasks['fairness']>>;

interface Sale {
  limit: number;
  windowMs: number;
}

/** The results of the tickets of a queue. */
export interface Promises {
  /** Callers that joined. */
  waited: number;
  /** Served tickets. */
  tickets: number;
  callers: number;
  charges: number;
  /** Share of the tickets that were served by their promised turn. */
  inTime: number;
  latestMs: number;
  /** Time from the freeing of a place to its next charge, in ms. */
  lag: Spread;
  /** A negative lag is an excess. */
  shortestLag: number;
  /** Share of the time of all places. A place that stays free after the last ticket is not unused. */
  unused: number;
}

/** Each node sends a direct call this often while tickets wait. */
export const DIRECT_EVERY_MS = 100;

/**
 * Serves tickets by two nodes, with direct calls all the time, and compares each turn with its promise and with the
 * instant at which its place freed.
 */
export async function keepPromises(
  nodes: readonly QueueNode[],
  { tickets, limit, windowMs }: Sale & { tickets: number },
): Promise<Promises> {
  const [first, other] = nodes;
  if (!first || !other) throw new StepError('Two nodes are needed.');
  const sale = { name: 'promises', limit, windowMs };
  for (const node of nodes) await node.call('serve', { ...sale, directEveryMs: DIRECT_EVERY_MS });
  // Direct calls take places one by one, so that these free one by one in each window.
  await after(windowMs);
  const joined = [
    await first.call('join', { ...sale, first: 0, count: tickets / 2 }),
    await other.call('join', { ...sale, first: tickets / 2, count: tickets / 2 }),
  ];
  const deadline = performance.now() + (tickets / limit + 3) * windowMs + 5_000;
  while ((await first.call('waiting', sale)).waiting > 0 && performance.now() < deadline) await after(100);
  for (const node of nodes) await node.call('stop');
  const charges = (await Promise.all(nodes.map((node) => node.call('charges')))).flat();
  const waited = joined.reduce((sum, { waiting }) => sum + waiting, 0);
  return { waited, ...summarizeCharges(charges, { limit, windowMs }) };
}

function summarizeCharges(unordered: readonly Charge[], { limit, windowMs }: Sale): Omit<Promises, 'waited'> {
  const charges = unordered.toSorted((one, next) => one.at - next.at);
  const served = charges.flatMap(({ at, promisedAt }) => (promisedAt === undefined ? [] : [at - promisedAt]));
  // Of each charge after the first window.
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
    shortestLag: Math.min(...lags),
    unused: unusedMs / (limit * (lastAt - firstFull)),
  };
}

/** Returns the mean wait of a group of callers, in ms. */
export function waitOf({ meanWaitMs }: Fairness['queue']['people']): number {
  return meanWaitMs ?? Number.NaN;
}

export function listFairnessGoals({ queue }: Fairness): Goal[] {
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

export function listPromiseGoals({ waited, tickets, charges, callers, ...promises }: Promises): Goal[] {
  const { inTime, latestMs, lag, unused, shortestLag } = promises;
  const one = (value: number) => spreadOf([value]);
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
