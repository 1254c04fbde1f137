import type { Experiment } from '../experiment';
import { addFirst } from '../naive/add-first';
import { mistakenSide, productSide } from './compare';
import type { Mistake } from './mistake';

const limit = 5;
const windowMs = 10_000;
/** One caller who presses the button twice a second, for four windows. */
const arrivals = Array.from({ length: 80 }, (_, place) => place * 500);

/** Each call is added to the log, also a refused one: who keeps trying is never let in again. */
export async function selfExtendingBlock(experiment: Experiment): Promise<Mistake> {
  const [client] = experiment.clients;
  const load = { arrivals, limit, windowMs };
  const naive = await mistakenSide(experiment, load, async ({ at, now, place }, ask) => {
    const key = experiment.key('add-first');
    const member = `${now}-${place}`;
    const { count, mustLeave } = await addFirst({ client, key, now, windowMs, limit, member }, ask);
    const retryAfterMs = mustLeave === undefined ? 0 : mustLeave + windowMs - now;
    return { at, allowed: count <= limit, remaining: Math.max(0, limit - count), retryAfterMs, delayMs: 0 };
  });
  const product = await productSide(experiment, load);
  return { mistake: 'self-extending-block', limit, windowMs, naive, product };
}
