import type { Experiment } from '../../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../../experiments/experiment-limiter';
import { rateLimitHeaders } from '../../limiter/index';
import { algorithms } from '../algorithms';
import type { Card } from '../cards/card';
import { naiveBucket } from '../cards/naive-bucket';
import { createNaiveLimiter } from '../cards/run-naive';
import { addFirst, addHit, countHits } from '../naive-log';

const limit = 10;
/** Given to the examination, as by `--window 2`. */
export const WINDOW_MS = 2_000;

const naiveIds = [
  'counter-by-clock',
  'counter-from-first-hit',
  'four-commands',
  'add-first',
  'bucket-script',
  'forwarded-for',
] as const;
type NaiveId = (typeof naiveIds)[number];

/** The limiters of the section, in its order: the faulty ones, and Floodgate's. */
export const examinedIds = [...naiveIds, ...algorithms] as const;
export type ExaminedId = (typeof examinedIds)[number];

/** The faulty limiters of the cards, with 10 in 2 s. */
const naiveLimiters: Record<NaiveId, Card['naive']> = {
  'counter-by-clock': async ({ at }, { key, countCall }) =>
    (await countCall(key(`window:${Math.floor(at / WINDOW_MS)}`), WINDOW_MS)) <= limit,
  'counter-from-first-hit': async (_, { key, countCall }) =>
    (await countCall(key('counter'), WINDOW_MS)) <= limit,
  async 'four-commands'({ now, index }, { client, key, send }) {
    const call = { client, key: key('log'), now, windowMs: WINDOW_MS, member: `${now}-${index}` };
    const allowed = (await countHits(call, send)) < limit;
    if (allowed) await addHit(call, send);
    return allowed;
  },
  async 'add-first'({ now, index }, { client, key, send }) {
    const call = { client, key: key('log'), now, windowMs: WINDOW_MS, limit, member: `${now}-${index}` };
    const { count, blockingHitAt = now } = await addFirst(call, send);
    return { allowed: count <= limit, retryAfterMs: blockingHitAt + WINDOW_MS - now };
  },
  'bucket-script': async ({ now }, { key, script }) =>
    (await script(naiveBucket, [key('bucket')], [limit, (1_000 * limit) / WINDOW_MS, now]))[0] === 1,
  'forwarded-for': async ({ caller }, { key, countCall }) =>
    (await countCall(key(`forwarded-for:${caller}`), WINDOW_MS)) <= limit,
};

/** A call of an examination, in ms on the experiment's clock. */
export interface ExaminedCall {
  at: number;
  /** The address that the caller states in X-Forwarded-For. Default: its own. */
  forwardedFor?: string | undefined;
}

/** The answer of a limiter, as a server sends it. */
export interface ExaminedAnswer {
  allowed: boolean;
  headers: Readonly<Record<string, string>>;
  delayMs: number;
}

/** Creates a limiter that answers calls: a faulty one, or Floodgate with one level. */
export function createExaminedLimiter(
  experiment: Experiment,
  id: ExaminedId,
): (call: ExaminedCall) => Promise<ExaminedAnswer> {
  return isNaive(id) ? createNaive(experiment, id) : createProduct(experiment, id);
}

function isNaive(id: ExaminedId): id is NaiveId {
  return naiveIds.some((one) => one === id);
}

function createNaive(experiment: Experiment, id: NaiveId): ReturnType<typeof createExaminedLimiter> {
  const { decide } = createNaiveLimiter(experiment, { windowMs: WINDOW_MS, naive: naiveLimiters[id] });
  let index = 0;
  return async ({ at, forwardedFor = '192.0.2.1' }) => {
    index += 1;
    const { allowed, retryAfterMs, delayMs } = await decide({ at, caller: forwardedFor }, index);
    const headers = { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
    return { allowed, headers: !allowed && retryAfterMs > 0 ? headers : {}, delayMs };
  };
}

function createProduct(
  experiment: Experiment,
  algorithm: Exclude<ExaminedId, NaiveId>,
): ReturnType<typeof createExaminedLimiter> {
  const limiter = experiment.limiter();
  const origin = clockOrigin(WINDOW_MS);
  const policy = experimentPolicy(algorithm, [
    { level: 'global', algorithm, limit, windowMs: WINDOW_MS, subWindows: 10 },
  ]);
  return async ({ at }) => {
    const decision = await limiter.decideAt(origin + at, policy);
    return {
      allowed: decision.allowed,
      headers: rateLimitHeaders([decision]),
      delayMs: decision.allowed ? decision.delayMs : 0,
    };
  };
}
