import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { defineScript, type RunScript } from '../lua-scripts';
import type { RedisClient } from '../redis/client';
import { defineFunction } from './lua-function';
import type { Algorithm } from './policy';

/** One call on its subject's level and on everybody's. */
interface Call {
  subject: number;
  cost: number;
  hasRequestId: boolean;
}

interface Policy {
  own: { algorithm: Algorithm; limit: number };
  shared: { algorithm: Algorithm; limit: number };
}

const START = 1_795_226_301_987;
const WINDOW_MS = 400;
/** This subject's state is of another type: its calls fail. */
const BROKEN = 3;

const someAlgorithm = fc.constantFrom<Algorithm>(
  'sliding-log',
  'sliding-counter',
  'fixed-window',
  'token-bucket',
  'leaky-bucket',
);
const someLevel = fc.record({
  algorithm: someAlgorithm,
  // From 129 hits on a log is a ring.
  limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(400)),
});
const somePolicy = fc.record({ own: someLevel, shared: someLevel });
const someBatch = fc.record({
  stepMs: fc.integer({ min: -20, max: 300 }),
  calls: fc.array(
    fc.record({
      subject: fc.integer({ min: 0, max: BROKEN }),
      cost: fc.oneof(
        { weight: 20, arbitrary: fc.constant(1) },
        { arbitrary: fc.constantFrom(0, 2, 60), weight: 1 },
      ),
      hasRequestId: fc.oneof(
        { weight: 20, arbitrary: fc.constant(false) },
        { arbitrary: fc.constant(true), weight: 1 },
      ),
    }),
    { minLength: 1, maxLength: 32 },
  ),
});

describe.each([defineFunction, defineScript])('by $name', (define) => {
  let redis: RedisClient;
  let decide: RunScript;
  beforeAll(async () => {
    redis = await connectTestRedis(inject('redisUrl'));
    decide = define(redis, {
      command: 'decideTogether',
      file: 'limiter/decide.lua',
      numberOfKeys: 'variable',
    });
  });
  afterAll(() => redis.quit());

  /** Sends calls of one policy to keys of its own, however many at once. */
  async function open({ own, shared }: Policy) {
    const prefix = freshPrefix();
    await redis.rpush(`${prefix}own:${BROKEN}`, 'no state');
    await redis.expire(`${prefix}own:${BROKEN}`, 60);
    const levels = [own, shared].map((level) => ({ ...level, window_ms: WINDOW_MS }));
    const terms = ({ cost, hasRequestId }: Call) =>
      JSON.stringify({ cost, hits: 20, levels, ...(hasRequestId && { request_ttl_ms: 60_000 }) });
    return async (calls: readonly Call[], clock: number): Promise<string[]> => {
      const keys = calls.flatMap(({ subject, cost, hasRequestId }) => [
        `${prefix}own:${subject}`,
        `${prefix}shared`,
        ...(hasRequestId ? [`${prefix}request:${subject}:${cost}`] : []),
      ]);
      const runs: { terms: string; size: number }[] = [];
      for (const call of calls) {
        const last = runs.at(-1);
        if (last?.terms === terms(call)) last.size += 1;
        else runs.push({ terms: terms(call), size: 1 });
      }
      const args = runs.flatMap(({ terms, size }) => [terms, clock, size]);
      const replies = (await decide(keys, args)) as string[];
      return replies.map((reply) => reply.replaceAll(prefix, ''));
    };
  }

  test('calls that come together are decided as if each had come alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        somePolicy,
        fc.array(someBatch, { minLength: 1, maxLength: 8 }),
        async (policy, batches) => {
          const [together, alone] = [await open(policy), await open(policy)];
          let clock = START;
          for (const { stepMs, calls } of batches) {
            clock += stepMs;
            const expected = [];
            for (const call of calls) expected.push(...(await alone([call], clock)));
            expect(await together(calls, clock)).toEqual(expected);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
