import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { propertyRuns } from '../../../test/property';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { connectAsUser } from '../../../test/redis-user';
import { redisUrl } from '../../../test/services/worker-services';
import type { RedisClient } from '../../redis/client';
import type { Algorithm } from '../policy/policy';
import { ALGORITHMS } from '../policy/policy';
import { encodeLevel } from '../stores/codec';
import { defineFunction } from '../stores/lua-function';
import { defineScript, type RunScript } from '../stores/lua-scripts';

/** One call on the level of its subject and the global level. */
interface Call {
  subject: number;
  cost: number;
  hasRequestId: boolean;
  /** The fingerprint of what the call with a request id is for. */
  input: number;
  /** True if the limits are those that an operator has just set. */
  isTuned: boolean;
}

interface Policy {
  own: { algorithm: Algorithm; limit: number; punishes: boolean };
  shared: { algorithm: Algorithm; limit: number; shadow: boolean };
}

const START = 1_795_226_301_987;
const WINDOW_MS = 400;
const PUNISHMENT = { banAt: 3, banMs: 500, lapseMs: 300 };
/** This subject's state is of another type: its calls fail. */
const BROKEN = 3;

const level = {
  algorithm: fc.constantFrom(...ALGORITHMS),
  // From 129 hits on a log is a ring.
  limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(400)),
};
const somePolicy = fc.record({
  own: fc.record({ ...level, punishes: fc.boolean() }),
  shared: fc.record({ ...level, shadow: fc.boolean() }),
});
/** Calls that follow each other mostly have the same in common, and so share what they have loaded. */
const seldom = fc.oneof(
  { weight: 20, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);
const someCall = fc.record({
  subject: fc.integer({ min: 0, max: BROKEN }),
  cost: fc.oneof(
    { weight: 20, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.constantFrom(0, 2, 60) },
  ),
  hasRequestId: fc.oneof(seldom, fc.boolean()),
  input: fc.integer({ min: 1, max: 2 }),
  isTuned: seldom,
});
const someBatches = fc.array(
  fc.record({
    stepMs: fc.integer({ min: -20, max: 300 }),
    calls: fc.array(someCall, { minLength: 1, maxLength: 32 }),
  }),
  { minLength: 1, maxLength: 8 },
);

describe.each([defineFunction, defineScript])('by $name', (define) => {
  let redis: RedisClient;
  let decide: RunScript;
  beforeAll(async () => {
    redis = await connectTestRedis(await redisUrl());
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

    const policyArgsOf = ({ cost, hasRequestId, isTuned }: Call) => {
      const limitOf = ({ limit }: { limit: number }) => (isTuned ? Math.ceil(limit / 2) : limit);
      const common = { windowMs: WINDOW_MS, subWindows: 10 };
      const levels = [
        {
          ...common,
          algorithm: own.algorithm,
          limit: limitOf(own),
          mode: 'enforce',
          punishment: own.punishes ? PUNISHMENT : undefined,
        },
        {
          ...common,
          algorithm: shared.algorithm,
          limit: limitOf(shared),
          mode: shared.shadow ? 'shadow' : 'enforce',
          punishment: undefined,
        },
      ] as const;
      return [cost, 20, hasRequestId ? 60_000 : 0, ...levels.map(encodeLevel)].join(' ');
    };

    return async (calls: readonly Call[], clock: number): Promise<string[]> => {
      const keys = calls.flatMap(({ subject, cost, hasRequestId }) => [
        `${prefix}own:${subject}`,
        `${prefix}shared`,
        ...(own.punishes ? [`${prefix}violations:${subject}`, `${prefix}bans`] : []),
        ...(hasRequestId ? [`${prefix}request:${subject}:${cost}`] : []),
      ]);
      const groups: { policyArgs: string; args: (string | number)[][] }[] = [];
      for (const call of calls) {
        const policyArgs = policyArgsOf(call);
        if (groups.at(-1)?.policyArgs !== policyArgs) groups.push({ policyArgs, args: [] });
        groups
          .at(-1)
          ?.args.push([
            ...(own.punishes ? [`member-${call.subject}`] : []),
            ...(call.hasRequestId ? [call.input] : []),
          ]);
      }
      const args = groups.flatMap((group) => [
        group.policyArgs,
        `${group.args.length} ${clock}`,
        ...group.args.flat(),
      ]);
      return String(await decide(keys, args))
        .replaceAll(prefix, '')
        .split('\n');
    };
  }

  test('the calls of a batch are decided as if each were sent alone', async () => {
    await fc.assert(
      fc.asyncProperty(somePolicy, someBatches, async (policy, batches) => {
        const [batched, alone] = [await open(policy), await open(policy)];
        let clock = START;
        for (const { stepMs, calls } of batches) {
          clock += stepMs;
          const expected = [];
          for (const call of calls) expected.push(...(await alone([call], clock)));
          expect(await batched(calls, clock)).toEqual(expected);
        }
      }),
      propertyRuns(3_000),
    );
  }, 600_000);
});

test('a request id stays unused if a window cannot be written', async () => {
  const admin = await connectTestRedis(await redisUrl());
  onTestFinished(() => admin.disconnect());
  const client = await connectAsUser(admin, await redisUrl(), '-pexpire');
  const decide = defineFunction(client, {
    command: 'decideTogether',
    file: 'limiter/decide.lua',
    numberOfKeys: 'variable',
  });
  const [log, request] = [freshPrefix(), freshPrefix()];
  const level = 'sliding-log 400 600000 10 enforce 0 0 0';
  await decide([log], [`200 0 0 ${level}`, `1 ${START}`]);
  await decide([log], [`1 0 0 ${level}`, `1 ${START}`]);
  // By now the expiry of the ring has to be put off.
  const retried = `1 0 60000 ${level}`;
  await expect(decide([log, request], [retried, `1 ${START + 45_000}`, 1])).rejects.toThrow(
    /can't run this command/,
  );
  expect(await admin.exists(log, request)).toBe(1);
});

test('with more policy arguments than the cache holds, each call is decided by its own', async () => {
  const redis = await connectTestRedis(await redisUrl());
  const decide = defineFunction(redis, {
    command: 'decideTogether',
    file: 'limiter/decide.lua',
    numberOfKeys: 'variable',
  });
  const limits = [...Array(600).keys()].map((index) => index + 1);
  const keys = limits.map(() => freshPrefix());
  const args = limits.flatMap((limit) => {
    const level = `sliding-log ${limit} ${WINDOW_MS} 10 enforce 0 0 0`;
    return [`300 0 0 ${level}`, `1 ${START}`];
  });
  const replies = String(await decide(keys, args)).split('\n');
  expect(replies.map((reply) => reply.split(' ')[1])).toEqual(
    limits.map((limit) => (limit >= 300 ? '1' : '0')),
  );
  await redis.quit();
});
