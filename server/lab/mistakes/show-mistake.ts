import type { Experiment, RunExperiment } from '../../experiments/experiment';
import { defineScript } from '../../lua-scripts';
import { addFirst, NAIVE_TTL_MS, writeWithExpiry } from '../naive-log';
import { crossSlot } from './cross-slot';
import { type Mistake, type MistakeName, runNaiveSide, runProductSide } from './mistake';

const demonstrations = {
  'double-burst': doubleBurst,
  'node-clock': nodeClock,
  'self-extending-block': selfExtendingBlock,
  'cross-slot': crossSlot,
} satisfies Record<MistakeName, (experiment: Experiment) => Promise<Mistake>>;

/** Creates the demonstration of a mistake and of the product under the same load. */
export function createShowMistake({ runExperiment }: { runExperiment: RunExperiment }) {
  return function showMistake({
    mistake,
    signal,
  }: {
    mistake: MistakeName;
    signal?: AbortSignal | undefined;
  }): Promise<Mistake> {
    return runExperiment({ signal }, demonstrations[mistake]);
  };
}

/** Demonstrates a counter per fixed window: `INCR`, and an expiry with the first call. */
async function doubleBurst(experiment: Experiment): Promise<Mistake> {
  const limit = 50;
  const windowMs = 10_000;
  // A full limit just before the edge of a window, and a full limit just after it.
  const arrivals = Array.from({ length: 2 * limit }, (_, index) => windowMs - limit + index);
  const [client] = experiment.clients;
  const load = { arrivals, limit, windowMs };
  const naive = await runNaiveSide(experiment, load, async ({ at, now }, send) => {
    const key = experiment.key(`window:${Math.floor(at / windowMs)}`);
    const count = await writeWithExpiry(send(client.incr(key)), { client, key });
    if (count === 1) await send(client.pexpire(key, NAIVE_TTL_MS));
    const allowed = count <= limit;
    const remaining = Math.max(0, limit - count);
    return {
      at,
      allowed,
      remaining,
      retryAfterMs: remaining > 0 ? 0 : windowMs - (now % windowMs),
      delayMs: 0,
    };
  });
  return { mistake: 'double-burst', limit, windowMs, naive, product: await runProductSide(experiment, load) };
}

/** Demonstrates a log that also records refused calls: a caller who keeps retrying is never admitted again. */
async function selfExtendingBlock(experiment: Experiment): Promise<Mistake> {
  const limit = 5;
  const windowMs = 10_000;
  // One caller who clicks twice a second for four windows.
  const arrivals = Array.from({ length: 80 }, (_, index) => index * 500);
  const [client] = experiment.clients;
  const load = { arrivals, limit, windowMs };
  const naive = await runNaiveSide(experiment, load, async ({ at, now, index }, send) => {
    const key = experiment.key('add-first');
    const member = `${now}-${index}`;
    const { count, blockingHitAt } = await addFirst({ client, key, now, windowMs, limit, member }, send);
    const retryAfterMs = blockingHitAt === undefined ? 0 : blockingHitAt + windowMs - now;
    return { at, allowed: count <= limit, remaining: Math.max(0, limit - count), retryAfterMs, delayMs: 0 };
  });
  const product = await runProductSide(experiment, load);
  return { mistake: 'self-extending-block', limit, windowMs, naive, product };
}

/** Demonstrates nodes that send the time of their own clock. The product uses the clock of Redis. */
async function nodeClock(experiment: Experiment): Promise<Mistake> {
  const limit = 20;
  const windowMs = 10_000;
  // Lead of the second node's clock.
  const skewMs = 5_000;
  // Three windows of steady calls that alternate between the nodes.
  const arrivals = Array.from({ length: 300 }, (_, index) => index * 100);
  const nodes = arrivals.map((_at, index) => index % 2);
  const [client] = experiment.clients;
  const decide = defineScript(client, {
    command: 'floodgateLabCallersClock',
    file: 'lab/callers-clock.lua',
    numberOfKeys: 1,
  });
  const load = { arrivals, limit, windowMs };
  const naive = await runNaiveSide(experiment, load, async ({ at, now, index }, send) => {
    const log = experiment.key('callers-clock');
    const clock = now + (nodes[index] === 1 ? skewMs : 0);
    const member = `${clock}-${index}`;
    const [admitted, used, retryAfterMs] = integers(
      await send(decide([log], [clock, windowMs, limit, member, NAIVE_TTL_MS])),
    );
    return {
      at,
      allowed: admitted === 1,
      remaining: Math.max(0, limit - (used ?? 0)),
      retryAfterMs: retryAfterMs ?? 0,
      delayMs: 0,
    };
  });
  const product = await runProductSide(experiment, load);
  return { mistake: 'node-clock', limit, windowMs, skewMs, nodes, naive, product };
}

function integers(reply: unknown): number[] {
  if (!Array.isArray(reply)) throw new TypeError(`callers-clock.lua replied ${JSON.stringify(reply)}`);
  return reply.map(Number);
}
