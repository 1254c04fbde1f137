import type { Experiment } from '../experiment';
import { expiring, NAIVE_LIVES_MS } from '../naive/naive-lives';
import { mistakenSide, productSide } from './compare';
import type { Mistake } from './mistake';

const limit = 50;
const windowMs = 10_000;
/** A full limit just before the edge of a window, and another just after. */
const arrivals = Array.from({ length: 2 * limit }, (_, place) => windowMs - limit + place);

/** A counter per window of the clock: `INCR`, and an expiry at the first. */
export async function doubleBurst(experiment: Experiment): Promise<Mistake> {
  const [client] = experiment.clients;
  const load = { arrivals, limit, windowMs };
  const naive = await mistakenSide(experiment, load, async ({ at, now }, ask) => {
    const key = experiment.key(`window:${Math.floor(at / windowMs)}`);
    const count = await expiring(ask(client.incr(key)), { client, key });
    if (count === 1) await ask(client.pexpire(key, NAIVE_LIVES_MS));
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
  return { mistake: 'double-burst', limit, windowMs, naive, product: await productSide(experiment, load) };
}
