import type { Experiment } from '../../sandbox/experiment';
import { addFirst } from '../naive/add-first';
import { runNaiveSide, runProductSide } from './compare';
import type { Mistake } from './mistake';

const limit = 5;
const windowMs = 10_000;
/** One caller who clicks twice a second for four windows. */
const arrivals = Array.from({ length: 80 }, (_, index) => index * 500);

/** Demonstrates a log that also records refused calls: a caller who keeps retrying is never admitted again. */
export async function selfExtendingBlock(experiment: Experiment): Promise<Mistake> {
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
