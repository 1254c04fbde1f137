import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someStart } from '../../../test/limiter-arrivals';
import { propertyRuns } from '../../../test/property';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import type { RedisClient } from '../../redis/client';
import { decideScript, REQUEST_ID_TTL_MS } from '../decide/codec';
import { ioredisStore } from './ioredis-store';
import { memoryStore } from './memory-store';
import type { Store, StoreScript } from './store';

/** One script call. */
type Call = [script: StoreScript, keys: string[], args: (string | number)[]];

const listScript = { command: 'listBans', file: 'limiter/list-bans.lua', numberOfKeys: 1 } as const;
const countScript = { command: 'countBans', file: 'limiter/count-bans.lua', numberOfKeys: 1 } as const;
const liftScript = { command: 'liftBan', file: 'limiter/lift-ban.lua', numberOfKeys: 2 } as const;
const clearScript = { command: 'clearWindow', file: 'limiter/clear-window.lua', numberOfKeys: 2 } as const;
const deleteScript = { command: 'deleteKey', file: 'limiter/delete-key.lua', numberOfKeys: 1 } as const;

const seldom = fc.integer({ min: 0, max: 4 }).map((one) => one === 0);
const someNumbers = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  windowMs: fc.integer({ min: 1, max: 300 }),
});
const someLevel = fc.record({
  algorithm: fc.constantFrom(
    ...['sliding-log', 'sliding-counter', 'fixed-window', 'token-bucket', 'leaky-bucket', 'in-flight'],
  ),
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
  cost: fc.constantFrom('*', 1, 1, 2),
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

/** Returns the keys and arguments of one group of calls, as the grammar in codec.ts defines them. */
function toGroup(prefix: string, policy: Policy, command: Command, clock: number) {
  const { kind, policy: number, calls, isChanged } = command;
  const start = `${prefix}{${number}}`;
  const later = laterKind(policy, kind);
  const isDeciding = kind === 'decide';
  // A policy that reserves has no punishment.
  const levels = policy.levels.map((level) =>
    policy.record === 'reserve' ? { ...level, punishment: undefined } : level,
  );
  const taking = later === 'release' || later === 'renew' ? levels.filter(isLeasing) : levels;
  const record = isDeciding && policy.record === 'request' ? REQUEST_ID_TTL_MS : 0;
  const reserve = isDeciding && policy.record === 'reserve' ? 'reserve=200' : record;
  const head = later ?? (isDeciding ? policy.cost : 0);
  const isReserving = reserve === 'reserve=200' || later === 'settle';
  // A peek reads no generation, and a level in flight is never shared.
  const shared = kind === 'peek' ? undefined : taking.find((level) => level.isShared && !isLeasing(level));
  const reservationOf = (subject: number, id: number) => `${start}:reservation:${subject}:${id}`;
  const words = taking.map((level) => {
    const { algorithm, subWindows, isShadow, hasOwnNumbers, punishment } = level;
    const { banAt, banMs, lapseMs } = punishment ?? { banAt: 0, banMs: 0, lapseMs: 0 };
    const { limit, windowMs } = isChanged ? level.changedNumbers : level.numbers;
    const own = hasOwnNumbers ? '* *' : `${limit} ${windowMs}`;
    const mode = `${isShadow ? 'shadow' : 'enforce'}${level === shared ? '+' : ''}`;
    return [algorithm, own, subWindows, mode, banAt, banMs, lapseMs].join(' ');
  });
  const punishing = taking.filter(({ punishment }) => punishment);
  const indexes = taking.map((level) => levels.indexOf(level));
  const keys = calls.flatMap(({ subject, id }) => [
    ...indexes.map((index) => `${start}:${index}:${subject}`),
    ...punishing.map((level) => `${start}:${levels.indexOf(level)}:${subject}:violations`),
    ...(punishing.length > 0 ? [`${start}:bans`] : []),
    ...(shared && !isReserving ? [`${start}:${levels.indexOf(shared)}:${subject}:generation`] : []),
    ...(record > 0 ? [`${start}:request:${subject}:${id}`] : []),
    ...(isReserving
      ? [...indexes.map((index) => `${start}:${index}:${subject}:generation`), reservationOf(subject, id)]
      : []),
  ]);
  const hasLease = taking.some(isLeasing) && head !== 0 && head !== 'settle';
  const hasCost = head === '*' || head === 'settle';
  const args = calls.flatMap((call) => {
    const own = [
      ...(hasCost ? [call.cost] : []),
      ...taking.flatMap(({ hasOwnNumbers }, index) =>
        hasOwnNumbers ? [call.numbers[index]?.limit, call.numbers[index]?.windowMs] : [],
      ),
    ];
    return [
      ...punishing.map((level) => `${levels.indexOf(level)}:${call.subject}`),
      ...(record > 0 ? [call.input] : []),
      ...(hasLease ? [`lease-${call.subject}-${call.id}000`.padEnd(12, '.')] : []),
      ...(own.length > 0 ? [own.join(' ')] : []),
    ];
  });
  const policyArgs = [head, kind === 'peek' ? 5 : 0, reserve, ...words].join(' ');
  return taking.length > 0 ? { keys, args: [policyArgs, `${calls.length} ${clock}`, ...args] } : undefined;

  function laterKind({ record: form }: Policy, wanted: Command['kind']) {
    if (wanted !== 'later') return undefined;
    if (form === 'reserve') return 'settle';
    return (calls[0] as CommandCall).isRenewing ? 'renew' : 'release';
  }
}

function isLeasing({ algorithm }: Policy['levels'][number]): boolean {
  return algorithm === 'in-flight';
}

/** Returns the call that clears the first window of a command. */
function toClear(prefix: string, { policy, calls }: Command, index: number): Call {
  const [{ subject } = { subject: 0 }] = calls;
  const key = `${prefix}{${policy}}:0:${subject}`;
  return [clearScript, [key, `${key}:generation`], [`clear-${index}`]];
}

/** Runs a case on a store. Returns all replies, then the bans before and after one of them is lifted. */
async function play(store: Store, prefix: string, batches: Call[], clock: number): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (const call of batches) replies.push(await store.run(...call));
  for (const policy of [0, 1]) {
    const key = `${prefix}{${policy}}:bans`;
    const bans = (await store.run(listScript, [key], [clock])) as [string, number][];
    replies.push(toComparable(bans), await store.run(countScript, [key], [clock]));
    const [[member, bannedUntil] = ['', 0]] = bans;
    const violations = `${prefix}{${policy}}:${member.replace(/#.*/, '')}:violations`;
    replies.push(await store.run(liftScript, [violations, key], [member, bannedUntil]));
    replies.push(await store.run(liftScript, [violations, key], [member, bannedUntil + 1]));
    replies.push(toComparable((await store.run(listScript, [key], [clock])) as [string, number][]));
    replies.push(await store.run(deleteScript, [`${prefix}{${policy}}:0:0`], []));
    replies.push(await store.run(deleteScript, [`${prefix}{${policy}}:0:0`], []));
  }
  return replies;
}

/** An embedded Redis may return the ends of bans as text. */
function toComparable(bans: readonly [string, number][]): [string, number][] {
  return bans.map(([member, bannedUntil]) => [member, Number(bannedUntil)]);
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
        const groups = batch.flatMap((command) => {
          clock += command.ms;
          return toGroup(prefix, drawn[command.policy] as Policy, command, clock) ?? [];
        });
        const keys = groups.flatMap((group) => group.keys);
        return groups.length > 0 ? [[decideScript, keys, groups.flatMap(({ args }) => args)]] : [];
      });
      const expected = await play(ioredisStore(redis), prefix, calls, clock);
      expect(await play(memoryStore(), prefix, calls, clock)).toEqual(expected);
    }),
    propertyRuns(2_000),
  );
}, 600_000);
