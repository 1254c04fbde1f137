import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLimiterStore } from '../../../test/limiter-level';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { decideOne, testArgs, testKeys, testLevel } from '../../../test/store-commands';
import type { RedisClient } from '../../redis/client';
import type { LevelAlgorithm } from '../policy/policy';
import { defineScript } from '../stores/lua-scripts';
import { type CommandReply, hashTagOf, type Store, type StoreCommand } from '../stores/store';
import { StoreUnavailableError } from '../stores/store-error';
import { createBatcher } from './batcher';

let redis: RedisClient;
let store: Store;
beforeAll(async () => {
  redis = await connectTestRedis(await redisUrl());
  store = createLimiterStore(redis, defineScript);
});
afterAll(() => redis.quit());

const NOW = 1_800_000_000_000;

/** A batcher, and the number of calls in each batch. */
function setUp({ slotOf = () => '' }: { slotOf?: (key: string) => string } = {}) {
  const sizes: number[] = [];
  const clock = { now: NOW };
  const send = createBatcher<StoreCommand, CommandReply>({
    async run(batch) {
      sizes.push(batch.length);
      return store.decide(batch);
    },
    slotOf: ({ keys }) => slotOf(keys.level(0)),
    clock: () => clock.now,
  });
  return { sendCommand: (command: StoreCommand) => send(command, toVerdict), send, sizes, clock };
}

/** A command for one unit on one level. */
function commandOn(key: string, limit = 1_000, algorithm: LevelAlgorithm = 'sliding-log'): StoreCommand {
  const policyArgs = testArgs([testLevel(algorithm, { limit, windowMs: 1_000 })]);
  return { policyArgs, keys: testKeys(key, () => key), cost: 1 };
}

function toVerdict(reply: CommandReply) {
  if (typeof reply === 'boolean') throw new TypeError('the reply is no decision');
  return { admitted: reply.outcome === 'admitted', used: reply.levels[0]?.used };
}

test('calls made together are one batch, of at most 32', async () => {
  const { sendCommand, sizes } = setUp();
  const key = freshPrefix();
  const replies = Array.from({ length: 70 }, () => sendCommand(commandOn(key)));
  // Two full batches are sent at once, the rest at the end of the tick.
  expect(sizes).toEqual([32, 32]);
  expect((await Promise.all(replies)).map(({ used }) => used)).toEqual(
    Array.from({ length: 70 }, (_, index) => index + 1),
  );
  expect(sizes).toEqual([32, 32, 6]);
});

test('calls made in one tick while a script call is in flight are one batch', async () => {
  const { sendCommand, sizes } = setUp();
  const key = freshPrefix();
  const replies = [];
  for (let call = 1; call <= 4; call++) {
    replies.push(sendCommand(commandOn(key)));
    await Promise.resolve();
    expect(sizes).toEqual([1]);
  }
  expect((await Promise.all(replies)).map(({ used }) => used)).toEqual([1, 2, 3, 4]);
  expect(sizes).toEqual([1, 3]);
});

test('calls made one after the other are sent in the same tick, each alone', async () => {
  const { sendCommand, sizes } = setUp();
  for (let call = 1; call <= 3; call++) {
    const reply = sendCommand(commandOn(freshPrefix()));
    await Promise.resolve();
    expect(sizes).toHaveLength(call);
    await reply;
  }
  expect(sizes).toEqual([1, 1, 1]);
});

test('calls are decided in order: of 40 in one tick the first 3 are admitted', async () => {
  const { sendCommand } = setUp();
  const key = freshPrefix();
  const verdicts = await Promise.all(Array.from({ length: 40 }, () => sendCommand(commandOn(key, 3))));
  expect(verdicts.map(({ admitted }) => admitted)).toEqual([...Array(40).keys()].map((index) => index < 3));
});

test('calls of several policies share a batch, each with its own limit', async () => {
  const { sendCommand, sizes } = setUp();
  const [narrow, wide] = [freshPrefix(), freshPrefix()];
  await sendCommand(commandOn(narrow, 2));
  const verdicts = await Promise.all(
    [commandOn(narrow, 2), commandOn(wide, 5), commandOn(narrow, 2), commandOn(wide, 5)].map((command) =>
      sendCommand(command),
    ),
  );
  expect(verdicts).toEqual([
    { admitted: true, used: 2 },
    { admitted: true, used: 1 },
    { admitted: false, used: 2 },
    { admitted: true, used: 2 },
  ]);
  expect(sizes).toEqual([1, 4]);
});

test('a key of another type fails its own call and no other call of the batch', async () => {
  const { sendCommand, sizes } = setUp();
  const [key, list] = [freshPrefix(), freshPrefix()];
  await redis.rpush(list, 'not a log');
  await redis.expire(list, 60);
  const replies = [
    sendCommand(commandOn(key)),
    ...[key, list, key].map((one) => sendCommand(commandOn(one))),
  ];
  const settled = await Promise.allSettled(replies);
  expect(sizes).toEqual([4]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  const [, , failed] = settled;
  expect(failed).toMatchObject({ reason: expect.any(StoreUnavailableError) });
  expect(failed).toMatchObject({
    reason: { cause: expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') }) },
  });
});

test.each([1, 5, 16, 767])('a string of %i bytes is not a log: its call fails at once', async (size) => {
  const { sendCommand } = setUp();
  const key = freshPrefix();
  await redis.set(key, 'x'.repeat(size), 'PX', 60_000);
  const [failed, other] = await Promise.allSettled([
    sendCommand(commandOn(key)),
    sendCommand(commandOn(freshPrefix())),
  ]);
  expect(failed).toMatchObject({ reason: { cause: { message: `ERR ${key} is not a valid log of hits` } } });
  expect(other).toMatchObject({ status: 'fulfilled' });
});

/** Returns the bytes of a log with 200 hits: a ring with header and slots. */
async function ringOfHits(): Promise<Buffer> {
  const key = freshPrefix();
  const policyArgs = testArgs([testLevel('sliding-log', { limit: 200, windowMs: 600_000 })], { cost: 200 });
  await decideOne(store, key, { policyArgs, clock: NOW });
  return (await redis.getBuffer(key)) ?? Buffer.alloc(0);
}

/** Offsets of the fields in the header of a ring; see hit-ring.lua. */
const [HEAD, CAPACITY, COUNT, OLDEST, NEWEST, KEPT] = [0, 4, 8, 12, 18, 24];
const TWO_48 = 2 ** 48;

test('the ring that the next tests damage is a valid log', async () => {
  const { sendCommand } = setUp();
  const key = freshPrefix();
  await redis.set(key, await ringOfHits(), 'PX', 60_000);
  expect(await sendCommand(commandOn(key))).toMatchObject({ admitted: true, used: 201 });
});

test.each<[string, (ring: Buffer) => Buffer]>([
  ['800 NULs', () => Buffer.alloc(800)],
  ['800 letters', () => Buffer.alloc(800, 'a')],
  ['text', () => Buffer.from('{"not":"a log"}'.repeat(80))],
  ['a ring that lacks its last byte', (ring) => ring.subarray(0, -1)],
  ['a ring with a byte more', (ring) => Buffer.concat([ring, Buffer.from('x')])],
  ['a ring whose head is beyond its slots', (ring) => written(ring, (copy) => copy.writeUInt32BE(200, HEAD))],
  ['a ring of more slots than it has', (ring) => written(ring, (copy) => copy.writeUInt32BE(201, CAPACITY))],
  ['a ring of no hits', (ring) => written(ring, (copy) => copy.writeUInt32BE(0, COUNT))],
  ['a ring of more hits than slots', (ring) => written(ring, (copy) => copy.writeUInt32BE(201, COUNT))],
  [
    'a ring whose oldest hit is its newest',
    (ring) => written(ring, (copy) => copy.writeUIntBE(TWO_48 - 1, OLDEST, 6)),
  ],
  ['a ring that was kept for no time', (ring) => written(ring, (copy) => copy.writeUIntBE(0, KEPT, 6))],
  [
    'a ring of a hit that is later than its end',
    (ring) => written(ring, (copy) => copy.writeUIntBE(TWO_48 - 1, NEWEST, 6)),
  ],
])('%s under the key of a log fails its own call and stays unchanged', async (_what, damaged) => {
  const { sendCommand } = setUp();
  const key = freshPrefix();
  const bytes = damaged(await ringOfHits());
  await redis.set(key, bytes, 'PX', 60_000);
  const [failed, other] = await Promise.allSettled([
    sendCommand(commandOn(key)),
    sendCommand(commandOn(freshPrefix())),
  ]);
  expect(failed).toMatchObject({ reason: { cause: { message: `ERR ${key} is not a valid log of hits` } } });
  expect(other).toMatchObject({ status: 'fulfilled' });
  expect(await redis.getBuffer(key)).toEqual(bytes);
});

function written(ring: Buffer, write: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(ring);
  write(copy);
  return copy;
}

test.each<[LevelAlgorithm, number[]]>([
  ['fixed-window', [Number.POSITIVE_INFINITY, 1]],
  ['fixed-window', [1, Number.NaN]],
  ['token-bucket', [1, -1, 1, 1]],
  ['leaky-bucket', [1, 1, Number.POSITIVE_INFINITY, 1]],
])('a %s of %j is invalid: its call fails and no other call of the batch', async (algorithm, numbers) => {
  const { sendCommand, sizes } = setUp();
  const state = Buffer.alloc(numbers.length * 8);
  for (const [index, number] of numbers.entries()) state.writeDoubleBE(number, index * 8);
  const key = freshPrefix();
  await redis.set(key, state, 'PX', 60_000);
  const replies = [freshPrefix(), freshPrefix(), key, freshPrefix()].map((one) =>
    sendCommand(commandOn(one, 1_000, algorithm)),
  );
  const settled = await Promise.allSettled(replies);
  expect(sizes).toEqual([4]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(settled[2]).toMatchObject({
    reason: { cause: { message: expect.stringContaining(`${key} is not a valid`) } },
  });
});

test('a reply that cannot be decoded fails its own call', async () => {
  const { sendCommand, send } = setUp();
  const decode = (reply: CommandReply): never => {
    throw new TypeError(`read ${reply}`);
  };
  const [first, failed, last] = await Promise.allSettled([
    sendCommand(commandOn(freshPrefix())),
    send(commandOn(freshPrefix()), decode),
    sendCommand(commandOn(freshPrefix())),
  ]);
  expect([first.status, last.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(failed).toMatchObject({ reason: expect.any(StoreUnavailableError) });
});

test('each call is decided by the clock at the time of its call', async () => {
  const { sendCommand, clock } = setUp();
  const key = freshPrefix();
  const replies = [0, 400, 999, 1_000].map((later) => {
    clock.now = NOW + later;
    return sendCommand(commandOn(key, 3));
  });
  // The first has left its window when the last comes.
  expect((await Promise.all(replies)).map(({ admitted }) => admitted)).toEqual([true, true, true, true]);
});

test('calls with different hash tags are never in one batch', async () => {
  const { sendCommand, sizes } = setUp({ slotOf: hashTagOf });
  const prefix = freshPrefix();
  const keys = Array.from({ length: 12 }, (_, index) => `${prefix}{${index % 3}}`);
  await Promise.all(keys.map((key) => sendCommand(commandOn(key))));
  expect(sizes).toEqual([4, 4, 4]);
});

test('a failed script call fails its whole batch, and the next call is sent', async () => {
  let isDown = true;
  const send = createBatcher<StoreCommand, CommandReply>({
    run: (batch) => (isDown ? Promise.reject(new StoreUnavailableError('down')) : store.decide(batch)),
    slotOf: () => '',
    clock: undefined,
  });
  const sendCommand = (command: StoreCommand) => send(command, toVerdict);
  const key = freshPrefix();
  const settled = await Promise.allSettled([1, 2, 3].map(() => sendCommand(commandOn(key))));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  isDown = false;
  expect(await sendCommand(commandOn(key))).toEqual({ admitted: true, used: 1 });
});
