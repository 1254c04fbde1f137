import { defineScript } from '../../lua-scripts';
import type { Experiment } from '../experiment';
import { NAIVE_LIVES_MS } from '../naive/naive-lives';
import { mistakenSide, productSide } from './compare';
import type { Mistake } from './mistake';

const limit = 20;
const windowMs = 10_000;
/** So far the second node's clock is ahead. */
const skewMs = 5_000;
/** Three windows of steady calls, of which each node takes every other. */
const arrivals = Array.from({ length: 300 }, (_, place) => place * 100);
const nodes = arrivals.map((_at, place) => place % 2);

/** Each node brings the time of its own clock; the product asks Redis for it. */
export async function nodeClock(experiment: Experiment): Promise<Mistake> {
  const [client] = experiment.clients;
  const decide = defineScript(client, {
    command: 'floodgateLabCallersClock',
    file: 'lab/callers-clock.lua',
    numberOfKeys: 1,
  });
  const load = { arrivals, limit, windowMs };
  const naive = await mistakenSide(experiment, load, async ({ at, now, place }, ask) => {
    const log = experiment.key('callers-clock');
    const clock = now + (nodes[place] === 1 ? skewMs : 0);
    const member = `${clock}-${place}`;
    const [admitted, used, retryAfterMs] = integers(
      await ask(decide([log], [clock, windowMs, limit, member, NAIVE_LIVES_MS])),
    );
    return {
      at,
      allowed: admitted === 1,
      remaining: Math.max(0, limit - (used ?? 0)),
      retryAfterMs: retryAfterMs ?? 0,
      delayMs: 0,
    };
  });
  const product = await productSide(experiment, load);
  return { mistake: 'node-clock', limit, windowMs, skewMs, nodes, naive, product };
}

function integers(reply: unknown): number[] {
  if (!Array.isArray(reply)) throw new TypeError(`callers-clock.lua replied ${JSON.stringify(reply)}`);
  return reply.map(Number);
}
