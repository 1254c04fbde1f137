import { defineScript } from '../../lua-scripts';
import type { Experiment } from '../../sandbox/experiment';
import { NAIVE_TTL_MS } from '../naive/naive-ttl';
import { runNaiveSide, runProductSide } from './compare';
import type { Mistake } from './mistake';

const limit = 20;
const windowMs = 10_000;
/** Lead of the second node's clock. */
const skewMs = 5_000;
/** Three windows of steady calls that alternate between the nodes. */
const arrivals = Array.from({ length: 300 }, (_, index) => index * 100);
const nodes = arrivals.map((_at, index) => index % 2);

/** Demonstrates nodes that send the time of their own clock. The product uses the clock of Redis. */
export async function nodeClock(experiment: Experiment): Promise<Mistake> {
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
