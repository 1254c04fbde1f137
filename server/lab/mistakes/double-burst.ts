import type { Experiment } from '../../sandbox/experiment';
import { NAIVE_TTL_MS, writeWithExpiry } from '../naive/naive-ttl';
import { runNaiveSide, runProductSide } from './compare';
import type { Mistake } from './mistake';

const limit = 50;
const windowMs = 10_000;
/** A full limit just before the edge of a window, and a full limit just after it. */
const arrivals = Array.from({ length: 2 * limit }, (_, index) => windowMs - limit + index);

/** Demonstrates a counter per fixed window: `INCR`, and an expiry with the first call. */
export async function doubleBurst(experiment: Experiment): Promise<Mistake> {
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
