import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someStart } from '../../../test/limiter-arrivals';
import { propertyRuns } from '../../../test/property';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { testKeys } from '../../../test/store-commands';
import type { RedisClient } from '../../redis/client';
import { REQUEST_ID_TTL_MS } from '../decide/request-id';
import type { LevelAlgorithm } from '../policy/policy';
import { ALGORITHMS } from '../policy/policy';
import { ioredisStore } from './ioredis-store';
import { memoryStore } from './memory-store';
import type { PolicyArgs, Store, StoreCommand, StoreLevel, TimedCommand } from './store';

/** One call of a store. */
type Call = (store: Store) => Promise<unknown>;

const seldom = fc.integer({ min: 0, max: 4 }).map((one) => one === 0);
const someNumbers = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  windowMs: fc.integer({ min: 1, max: 300 }),
});
const someLevel = fc.record({
  algorithm: fc.constantFrom<LevelAlgorithm[]>(...ALGORITHMS, 'in-flight'),
  numbers: someNumbers,
  /** After a change. */
  changedNumbers: someNumbers,
  subWindows: fc.integer({ min: 1, max: 12 }),
  isShadow: seldom,
  isShared: seldom,
  hasOwnNumbers: seldom,
  punishment: fc.option(
    fc.record({
      banAt: fc.integer({ min: 1, max: 4 }),
      banMs: fc.integer({ min: 1, max: 400 }),
      lapseMs: fc.integer({ min: 1, max: 900 }),
    }),
    { nil: undefined },
  ),
});
const somePolicy = fc.record({
  levels: fc.array(someLevel, { minLength: 1, maxLength: 3 }),
  record: fc.constantFrom('none', 'request', 'reserve'),
  cost: fc.constantFrom(undefined, 1, 1, 2),
});
const someCommand = fc.record({
  kind: fc.constantFrom('decide', 'decide', 'decide', 'decide', 'peek', 'later', 'clear'),
  isChanged: seldom,
  ms: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(0, 0, 1, 2, 15, 60) },
    { weight: 1, arbitrary: fc.integer({ min: -60, max: 600 }) },
  ),
  policy: fc.nat(1),
  calls: fc.array(
    fc.record({
      subject: fc.nat(1),
      cost: fc.integer({ min: 1, max: 7 }),
      /** Of a request id, a lease or a reservation. */
      id: fc.nat(3),
      input: fc.integer({ min: 1, max: 2 }),
      numbers: fc.array(someNumbers, { minLength: 3, maxLength: 3 }),
      isRenewing: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
type Policy = typeof somePolicy extends fc.Arbitrary<infer One> ? One : never;
type Command = typeof someCommand extends fc.Arbitrary<infer One> ? One : never;
type CommandCall = Command['calls'][number];

/** Returns one group of commands. */
function toCommands(prefix: string, policy: Policy, command: Command, clock: number): TimedCommand[] {
  const { kind: drawn, policy: number, calls, isChanged } = command;
  const start = `${prefix}{${number}}`;
  const kind = kindOf(policy, command);
  // A policy that reserves has no punishment, and a level in flight has none.
  const levels = policy.levels.map((level) =>
    policy.record === 'reserve' || isLeasing(level) ? { ...level, punishment: undefined } : level,
  );
  const taking = kind === 'release' || kind === 'renew' ? levels.filter(isLeasing) : levels;
  if (taking.length === 0) return [];
  // A level in flight is never shared.
  const shared = taking.find((level) => level.isShared && !isLeasing(level));
  const hasLease = taking.some(isLeasing) && kind !== 'peek' && kind !== 'settle';
  const common: PolicyArgs = {
    kind,
    levels: [],
    levelIndexes: taking.map((level) => levels.indexOf(level)),
    ...(kind === 'decide' && { cost: policy.cost }),
    ...(kind === 'peek' && { hits: 5 }),
    ...(kind === 'decide' && policy.record === 'request' && { requestTtlMs: REQUEST_ID_TTL_MS }),
    ...(kind === 'decide' && policy.record === 'reserve' && { reserveMs: 200 }),
  };

  /** Returns the levels of a call. Those with its own numbers are the same in the policy arguments. */
  function levelsOf({ numbers: own }: CommandCall): StoreLevel[] {
    return taking.map((level, position) => {
      const { algorithm, subWindows, isShadow, hasOwnNumbers, punishment } = level;
      const common = isChanged ? level.changedNumbers : level.numbers;
      return {
        ...{
          algorithm,
          subWindows,
          punishment,
          isPersonal: hasOwnNumbers,
          mode: isShadow ? 'shadow' : 'enforce',
        },
        ...(hasOwnNumbers ? (own[position] ?? common) : common),
        ...(level === shared && { shared: 'all' }),
      };
    });
  }

  return calls.map((call) => {
    const { subject, id, input } = call;
    const key = `${start}:request:${subject}:${id}`;
    const sent: StoreCommand = {
      policyArgs: { ...common, levels: levelsOf(call) },
      keys: testKeys(start, (index) => `${start}:${index}:${subject}`),
      cost: drawn === 'peek' ? 0 : (common.cost ?? call.cost),
      ...(common.requestTtlMs && { request: { key, input } }),
      ...(hasLease && { leaseId: `lease-${subject}-${id}000`.padEnd(12, '.') }),
      ...((common.reserveMs || kind === 'settle') && {
        reservationKey: `${start}:reservation:${subject}:${id}`,
      }),
    };
    return { command: sent, clock };
  });
}

/** Returns the kind of a group of commands. */
function kindOf({ record }: Policy, { kind, calls }: Command): PolicyArgs['kind'] {
  if (kind !== 'later') return kind === 'peek' ? 'peek' : 'decide';
  if (record === 'reserve') return 'settle';
  return calls[0]?.isRenewing ? 'renew' : 'release';
}

function isLeasing({ algorithm }: Policy['levels'][number]): boolean {
  return algorithm === 'in-flight';
}

/** Returns the call that clears the first window of a command. */
function toClear(prefix: string, { policy, calls }: Command, index: number): Call {
  const [{ subject } = { subject: 0 }] = calls;
  const level = `${prefix}{${policy}}:0:${subject}`;
  return (store) => store.clearWindow({ level, generation: `${level}:generation` }, `clear-${index}`);
}

/** Runs a case on a store. Returns all replies, then the bans before and after one of them is lifted. */
async function play(store: Store, prefix: string, calls: Call[], clock: number): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (const call of calls) replies.push(await call(store));
  for (const policy of [0, 1]) {
    const key = `${prefix}{${policy}}:bans`;
    const bans = await store.listBans(key, clock);
    replies.push(bans, await store.countBans(key, clock));
    const [{ member, bannedUntil } = { member: '', bannedUntil: 0 }] = bans;
    const keys = { bans: key, violations: `${prefix}{${policy}}:${member.replace(/#.*/, '')}:violations` };
    replies.push(await store.liftBan(keys, { member, bannedUntil }));
    replies.push(await store.liftBan(keys, { member, bannedUntil: bannedUntil + 1 }));
    replies.push(await store.listBans(key, clock));
    await store.deleteKey(`${prefix}{${policy}}:0:0`);
  }
  return replies;
}

let redis: RedisClient;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
});
afterAll(() => redis.quit());

test('random batches with punishments, request ids, settlings, clears, leases and changed numbers get the replies of Redis', async () => {
  const policies = fc.tuple(somePolicy, somePolicy);
  const commands = fc.array(fc.array(someCommand, { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 20,
    size: 'max',
  });
  await fc.assert(
    fc.asyncProperty(someStart, policies, commands, async (start, drawn, batches) => {
      const prefix = freshPrefix();
      let clock = start;
      const calls = batches.flatMap((batch, index): Call[] => {
        const cleared = batch.find(({ kind }) => kind === 'clear');
        if (cleared) return [toClear(prefix, cleared, index)];
        const commands = batch.flatMap((command) => {
          clock += command.ms;
          return toCommands(prefix, drawn[command.policy] as Policy, command, clock);
        });
        return commands.length > 0 ? [(store) => store.decide(commands)] : [];
      });
      const expected = await play(ioredisStore(redis), prefix, calls, clock);
      expect(await play(memoryStore(), prefix, calls, clock)).toEqual(expected);
    }),
    propertyRuns(2_000),
  );
}, 600_000);
