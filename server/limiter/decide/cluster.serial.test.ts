import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort } from '../../../scripts/lib/ports.mjs';
import { sameSubject } from '../../../test/call-subjects';
import { connectTestRedis, flushScripts, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { type ClusterNode, type RedisCluster, startRedisCluster } from '../../../test/services/redis-cluster';
import type { RedisClient } from '../../redis/client';
import { createLimiter, type Limiter } from '../limiter';
import type { Level, OnStoreError, ResolvedPolicy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { shared } from '../policy/shared-levels';
import { ioredisStore } from '../stores/ioredis-store';
import { StoreUnavailableError } from '../stores/store-error';
import type { Decision } from './decision';
import { createKeys } from './key';

const SECRET = 'a secret of at least 32 characters';
/** The longest time that a call may take, whatever happens to Redis. */
const LONGEST_MS = 300;

let cluster: RedisCluster;
let clients: RedisClient[];
/** Two nodes of a product, which share the cluster. */
let limiters: [Limiter, Limiter];

beforeAll(async () => {
  cluster = await startRedisCluster();
  clients = await Promise.all([connectTestRedis(cluster.url), connectTestRedis(cluster.url)]);
  const prefix = freshPrefix();
  const [one, other] = clients.map((redis) =>
    createLimiter({ store: ioredisStore(redis), secret: SECRET, prefix }),
  );
  if (!one || !other) throw new Error('there are two clients');
  limiters = [one, other];
});
afterAll(async () => {
  for (const client of clients ?? []) client.disconnect();
  await cluster?.stop();
});

describe('while nothing fails', () => {
  test('of 500 calls at once through two clients exactly the limit is admitted', async () => {
    const policy = policyOf('crowd', { level: 'global', limit: 100, windowMs: 10_000 });
    const calls = Array.from({ length: 500 }, (_, index) =>
      limiters[index % 2 === 0 ? 0 : 1].decide(policy, { subjects: {} }),
    );
    expect(admittedOf(await Promise.all(calls))).toHaveLength(100);
  });

  test('a policy of two levels and a request id is decided in one slot', async () => {
    const policy = policyOf('both', { level: 'user', limit: 2, windowMs: 10_000 }, global(9));
    const call = () => limiters[0].decide(policy, { subjects: { user: 'ada' }, requestId: 'one' });
    expect(await call()).toMatchObject({ allowed: true, replayed: false });
    expect(await call()).toMatchObject({ allowed: true, replayed: true });
  });

  test('policies that share a level are decided in one slot, and together admit exactly its limit', async () => {
    const system = shared('shop', global(20));
    const own: Level<unknown> = { level: 'user', limit: 100, windowMs: 10_000 };
    const policies = [policyOf('browse', own, system), policyOf('buy', system), policyOf('pay', own, system)];
    const calls = Array.from({ length: 300 }, (_, n) => {
      const policy = policies[n % 3] as Policy;
      const subjects = sameSubject(policy, `user-${n}`);
      return limiters[n % 2 === 0 ? 0 : 1].decide(policy, { subjects });
    });
    expect(admittedOf(await Promise.all(calls))).toHaveLength(20);
  });

  test('the subjects of one policy are spread over all masters', async () => {
    const policy = policyOf('spread', { level: 'user', limit: 2, windowMs: 10_000 });
    const prefix = freshPrefix();
    const limiter = limiterOn(prefix);
    const users = Array.from({ length: 100 }, (_, n) => `user-${n}`);
    await Promise.all(users.map((user) => limiter.decide(policy, { subjects: { user } })));
    const masters = new Set(
      await Promise.all(users.map((user) => masterOfKey(keyOf(policy, [user], prefix)))),
    );
    expect(masters.size).toBe(3);
    const counts = await Promise.all(
      [...masters].map(async (at) => (await at.client.keys(`${prefix}*`)).length),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(100);
  });

  test('a reset clears the windows of one policy on all masters, and a ban applies at any of them', async () => {
    const punishment = { warnAt: 1, banAt: 1, banMs: 60_000 };
    const policy = policyOf('reset', { level: 'user', limit: 1, windowMs: 10_000, punishment });
    const others = policyOf('kept', { level: 'user', limit: 1, windowMs: 10_000 });
    const limiter = limiterOn(freshPrefix());
    const users = Array.from({ length: 50 }, (_, n) => `user-${n}`);
    const decideAll = (of: Policy) =>
      Promise.all(users.map((user) => limiter.decide(of, { subjects: { user } })));
    await Promise.all([decideAll(policy), decideAll(others)]);
    await limiter.reset(policy);
    expect(admittedOf(await decideAll(policy))).toHaveLength(50);
    expect(admittedOf(await decideAll(others))).toHaveLength(0);
    await limiter.reset(policy);
    for (const subject of users.slice(0, 20))
      await limiter.bans.add(policy, { level: 'user', subject, ms: 60_000 });
    expect(admittedOf(await decideAll(policy))).toHaveLength(30);
    expect(await limiter.bans.count(policy)).toBe(20);
  });

  test('SCRIPT FLUSH and FUNCTION FLUSH on every node cost no decision', async () => {
    const policy = policyOf('flushed', { level: 'user', limit: 5, windowMs: 10_000 });
    const calls = () =>
      Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          limiters[0].decide(policy, { subjects: { user: `user-${n % 20}` } }),
        ),
      );
    expect(admittedOf(await calls())).toHaveLength(100);
    await Promise.all(cluster.nodes.map(({ client }) => flushScripts(client)));
    expect(await calls()).toMatchObject(Array(100).fill({ allowed: false, degraded: false }));
  });

  test('the start succeeds if one of several addresses replies', async () => {
    const dead = `redis://127.0.0.1:${await findFreePort()}`;
    const redis = await connectTestRedis(`${dead},${cluster.nodes[4]?.url}`);
    onTestFinished(() => redis.disconnect());
    const limiter = createLimiter({ store: ioredisStore(redis), secret: SECRET, prefix: freshPrefix() });
    const policy = policyOf('start', { level: 'user', limit: 1, windowMs: 10_000 });
    const calls = Array.from({ length: 100 }, (_, n) =>
      limiter.decide(policy, { subjects: { user: `user-${n}` } }),
    );
    expect(admittedOf(await Promise.all(calls))).toHaveLength(100);
  });

  test('the start fails with an error if no address replies', async () => {
    const [one, other] = [await findFreePort(), await findFreePort()];
    await expect(connectTestRedis(`redis://127.0.0.1:${one},redis://127.0.0.1:${other}`)).rejects.toThrow(
      /No Redis answers at redis:\/\/127\.0\.0\.1:\d+, redis:\/\/127\.0\.0\.1:\d+ \(.*ECONNREFUSED/,
    );
  });
});

describe('while slots move', () => {
  test('while a slot moves under load, no call beyond the limit is admitted, and every call is decided', async () => {
    const policy = policyOf('moving', { level: 'global', limit: 40, windowMs: 150 });
    const slot = await slotOf(policy, ['']);
    const [home, away] = await twoMasters(slot);
    const { askReplies } = await redirections();
    const load = startLoad(policy);
    await load.reach(200);
    for (const [from, to] of [
      [home, away],
      [away, home],
    ] as const) {
      const move = await beginMove(slot, from, to);
      await load.reach(100);
      await move.moveKeys();
      await vi.waitUntil(async () => (await redirections()).askReplies > askReplies);
      await load.reach(100);
      const { moved } = await redirections();
      await move.end();
      await vi.waitUntil(async () => (await redirections()).moved > moved);
      await load.reach(200);
    }
    const { decisions, failures, longestMs } = await load.stop();
    expect(failures[0]).toBeUndefined();
    expect(mostInAnyWindow(decisions, 150)).toBeLessThanOrEqual(40);
    expect(mostInAnyWindow(decisions, 150)).toBeGreaterThan(30);
    expect(longestMs).toBeLessThan(LONGEST_MS);
    await cluster.waitUntilSettled();
  });

  test('TRYAGAIN: a call with keys on both sides of a move is unavailable, and charged nowhere', async () => {
    const policy = policyOf('torn', { level: 'user', limit: 2, windowMs: 60_000 }, global(9));
    const limiter = limiterOn(freshPrefix());
    const call = (user: string) => timed(() => limiter.decide(policy, { subjects: { user } }));
    const slot = await slotOf(policy, ['ada', '']);
    const [home, away] = await twoMasters(slot);
    expect((await call('ada')).decision).toMatchObject({ allowed: true });
    const { tryAgain } = await redirections();
    const move = await beginMove(slot, home, away);
    // Bob's own window does not exist yet, and the common one is still here. No node of the slot can decide.
    const torn = await call('bob');
    expect(torn.failure).toBeInstanceOf(StoreUnavailableError);
    expect((await redirections()).tryAgain).toBeGreaterThan(tryAgain);
    expect(torn.ms).toBeLessThan(LONGEST_MS);
    expect((await call('ada')).decision).toMatchObject({ allowed: true });
    await redirectionsAreOver();
    await move.moveKeys();
    await move.end();
    const { levels } = (await call('bob')).decision ?? {};
    expect(levels).toMatchObject([{ used: 1 }, { used: 3 }]);
    const back = await beginMove(slot, away, home);
    await back.moveKeys();
    await back.end();
    await cluster.waitUntilSettled();
  });

  test('CLUSTERDOWN: a slot without a node is unavailable, not a denial', async () => {
    const policy = policyOf('unserved', global(9));
    const slot = await slotOf(policy, ['']);
    const home = await cluster.masterOf(slot);
    await home.client.cluster('DELSLOTS', slot);
    const { failure, ms } = await timed(() => limiters[0].decide(policy, { subjects: {} }));
    expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect(String(failure?.cause)).toContain('CLUSTERDOWN');
    expect(ms).toBeLessThan(LONGEST_MS);
    await home.client.cluster('ADDSLOTS', slot);
    expect(await limiters[0].decide(policy, { subjects: {} })).toMatchObject({ levels: [{ used: 1 }] });
    await cluster.waitUntilSettled();
  });
});

describe('while masters change', () => {
  test('CLUSTER FAILOVER under load: no hit is lost, and the replica has the function', async () => {
    const policy = policyOf('handover', global(100_000));
    const slot = await slotOf(policy, ['']);
    const home = await cluster.masterOf(slot);
    const [heir] = await cluster.replicasOf(home);
    if (!heir) throw new Error('every master has a replica');
    const load = startLoad(policy);
    await load.reach(100);
    await heir.client.cluster('FAILOVER');
    await vi.waitUntil(async () => (await heir.client.info('replication')).includes('role:master'));
    await load.reach(200);
    const { decisions, failures, longestMs } = await load.stop();
    expect(await cluster.masterOf(slot)).toBe(heir);
    expect(longestMs).toBeLessThan(LONGEST_MS);
    expect(failures.every((failure) => failure instanceof StoreUnavailableError)).toBe(true);
    const { windows } = await limiters[1].peek(policy, {});
    const used = windows[0]?.used ?? 0;
    // A call that failed as unavailable may have been charged. No admitted call is missing.
    expect(used).toBeGreaterThanOrEqual(admittedOf(decisions).length);
    expect(used).toBeLessThanOrEqual(admittedOf(decisions).length + failures.length);
    await cluster.waitUntilSettled();
  });

  test('hits that a dead master had not replicated are admitted once more, and no others', async () => {
    const policy = policyOf('evicted', global(5));
    const prefix = freshPrefix();
    const call = (limiter: Limiter) => limiter.decide(policy, { subjects: {} });
    const master = await cluster.masterOf(await slotOf(policy, ['']));
    const [heir] = await cluster.replicasOf(master);
    if (!heir) throw new Error('every master has a replica');
    const before = limiterOn(prefix);
    await call(before);
    await call(before);
    await vi.waitUntil(async () => (await heir.client.dbsize()) === (await master.client.dbsize()));
    await vi.waitUntil(async () => (await offsetOf(heir)) >= (await offsetOf(master)));
    // The replica receives the next three hits neither now nor later.
    process.kill(heir.pid(), 'SIGSTOP');
    await master.client.client('KILL', 'TYPE', 'REPLICA');
    for (const used of [3, 4, 5]) expect(await call(before)).toMatchObject({ levels: [{ used }] });
    await master.kill();
    process.kill(heir.pid(), 'SIGCONT');

    const after = limiterOn(prefix);
    const decided = () => call(after).catch((error: unknown) => expectUnavailable(error));
    const first = await vi.waitUntil(decided, { timeout: 10_000, interval: 20 });
    expect(first).toMatchObject({ allowed: true, levels: [{ used: 3 }] });
    expect([await call(after), await call(after), await call(after)].map(({ allowed }) => allowed)).toEqual([
      true,
      true,
      false,
    ]);
    await master.start();
    await cluster.waitUntilSettled();
  });

  const outages = [
    { outage: 'killed', begin: (node: ClusterNode) => node.kill(), end: (node: ClusterNode) => node.start() },
    {
      outage: 'frozen',
      begin: async (node: ClusterNode) => void process.kill(node.pid(), 'SIGSTOP'),
      end: async (node: ClusterNode) => void process.kill(node.pid(), 'SIGCONT'),
    },
  ];

  test.each(outages)(
    'a master that is $outage: its slots answer in their mode, the others decide, and it mends itself',
    async ({ outage, begin, end }) => {
      const victim = await cluster.masterOf(0);
      const modes: OnStoreError[] = ['closed', 'open', 'local'];
      const hit = await Promise.all(modes.map((mode) => policyOn(victim, `${outage}-${mode}`, mode)));
      const healthy = await policyOn(await cluster.masterOf(16_383), `${outage}-healthy`, 'closed');
      const loads = hit.map((policy) => startLoad(policy));
      const healthyLoad = startLoad(healthy);
      await Promise.all([...loads, healthyLoad].map((load) => load.reach(20)));

      await begin(victim);
      const [closedLoad, openLoad, localLoad] = loads;
      await vi.waitUntil(() => (closedLoad?.seen().failures.length ?? 0) >= 3, { timeout: 5_000 });
      await vi.waitUntil(
        () => [openLoad, localLoad].every((load) => load?.seen().decisions.at(-1)?.degraded),
        {
          timeout: 5_000,
        },
      );
      await healthyLoad.reach(100);
      // Without any restart: the replica is promoted, and the clients find it.
      await vi.waitUntil(() => loads.every((load) => load.seen().decisions.at(-1)?.degraded === false), {
        timeout: 20_000,
        interval: 20,
      });
      await Promise.all(loads.map((load) => load.reach(50)));

      const [closed, open, local] = await Promise.all(loads.map((load) => load.stop()));
      const others = await healthyLoad.stop();
      await end(victim);
      expect(others.failures[0]).toBeUndefined();
      expect(closed?.decisions.every(({ degraded }) => !degraded)).toBe(true);
      expect(closed?.failures.every((failure) => failure instanceof StoreUnavailableError)).toBe(true);
      expect([open?.failures[0], local?.failures[0]]).toEqual([undefined, undefined]);
      for (const seen of [closed, open, local, others]) expect(seen?.longestMs).toBeLessThan(LONGEST_MS);
      await cluster.waitUntilSettled();
    },
  );
});

test('READONLY: a primary that became a replica is unavailable, admits no call of a closed policy, and recovers', async () => {
  const [primary, replica] = await Promise.all([startRedis(), startRedis()]);
  const redis = await connectTestRedis(replica.url);
  const admin = await connectTestRedis(replica.url);
  onTestFinished(async () => {
    redis.disconnect();
    admin.disconnect();
    await Promise.all([primary.stop(), replica.stop()]);
  });
  const limiter = createLimiter({ store: ioredisStore(redis), secret: SECRET, prefix: freshPrefix() });
  const call = (onStoreError: OnStoreError) =>
    limiter.decide(policyOf(`readonly-${onStoreError}`, global(9), { onStoreError }), { subjects: {} });
  expect(await call('closed')).toMatchObject({ allowed: true });

  const closed = new Promise<void>((resolve) => redis.once('close', resolve));
  await admin.replicaof('127.0.0.1', primary.port);
  const { failure, ms } = await timed(() => call('closed'));
  expect(failure).toBeInstanceOf(StoreUnavailableError);
  expect(String(failure?.cause)).toContain('READONLY');
  expect(ms).toBeLessThan(LONGEST_MS);
  // Its address may lead to another by now: the connection is made anew.
  await closed;
  expect(await call('open')).toMatchObject({ allowed: true, degraded: true });

  await admin.replicaof('NO', 'ONE');
  await vi.waitUntil(async () => !(await call('open')).degraded, { timeout: 5_000 });
  expect(await call('closed')).toMatchObject({ allowed: true, degraded: false });
});

type Policy = ResolvedPolicy<unknown>;

const global = (limit: number): Level<unknown> => ({ level: 'global', limit, windowMs: 60_000 });

function policyOf(name: string, ...parts: (Level<unknown> | { onStoreError: OnStoreError })[]): Policy {
  const levels = parts.filter((part) => 'level' in part);
  const mode = parts.find((part) => 'onStoreError' in part);
  return resolvePolicy({ name: `test.${name}`, levels, message: { en: 'Too many.' }, ...mode }, 'test');
}

/** A policy whose only key lies on this master. */
async function policyOn(master: ClusterNode, name: string, onStoreError: OnStoreError): Promise<Policy> {
  for (let attempt = 0; ; attempt += 1) {
    const policy = policyOf(`${name}-${attempt}`, global(100_000), { onStoreError });
    if ((await cluster.masterOf(await slotOf(policy, ['']))) === master) return policy;
  }
}

function limiterOn(prefix: string): Limiter {
  const [redis] = clients;
  if (!redis) throw new Error('the clients are connected');
  return createLimiter({ store: ioredisStore(redis), secret: SECRET, prefix });
}

function keyOf(policy: Policy, subjects: string[], prefix: string): string {
  return createKeys({ prefix, secret: SECRET }).of(policy, subjects).level(0);
}

/** The prefix lies outside the hash tag, so it has no say in the slot. */
async function slotOf(policy: Policy, subjects: string[]): Promise<number> {
  return keySlot(keyOf(policy, subjects, ''));
}

async function keySlot(key: string): Promise<number> {
  const [witness] = cluster.nodes;
  return Number(await witness?.client.cluster('KEYSLOT', key));
}

async function masterOfKey(key: string): Promise<ClusterNode> {
  return cluster.masterOf(await keySlot(key));
}

/** The master of a slot, and another one. */
async function twoMasters(slot: number): Promise<[home: ClusterNode, away: ClusterNode]> {
  const home = await cluster.masterOf(slot);
  const [first, last] = [await cluster.masterOf(0), await cluster.masterOf(16_383)];
  return [home, home === first ? last : first];
}

/** Begins to move a slot. If the test fails between its steps, the move still ends: the next test finds a whole cluster. */
async function beginMove(slot: number, from: ClusterNode, to: ClusterNode) {
  let isOver = false;
  const moveKeys = async () => {
    const keys = (await from.client.cluster('GETKEYSINSLOT', slot, 100)) as string[];
    if (keys.length > 0) await from.client.migrate('127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...keys);
  };
  const end = async () => {
    isOver = true;
    await to.client.cluster('SETSLOT', slot, 'NODE', to.id);
    await from.client.cluster('SETSLOT', slot, 'NODE', to.id);
  };
  onTestFinished(async () => {
    if (isOver) return;
    await moveKeys();
    await end();
  });
  await to.client.cluster('SETSLOT', slot, 'IMPORTING', from.id);
  await from.client.cluster('SETSLOT', slot, 'MIGRATING', to.id);
  return { moveKeys, end };
}

/** The number of calls that the nodes have redirected so far. */
async function redirections(): Promise<Record<'askReplies' | 'moved' | 'tryAgain', number>> {
  const stats = await Promise.all(cluster.nodes.map(({ client }) => client.info('errorstats')));
  const count = (name: string) =>
    stats.reduce(
      (sum, text) => sum + Number(new RegExp(`errorstat_${name}:count=(\\d+)`).exec(text)?.[1] ?? 0),
      0,
    );
  return { askReplies: count('ASK'), moved: count('MOVED'), tryAgain: count('TRYAGAIN') };
}

/** Waits until no call is sent again: a call after its timeout may still be. */
async function redirectionsAreOver(): Promise<void> {
  let before = Number.NaN;
  const isOver = async () => {
    const { tryAgain } = await redirections();
    const hasStopped = tryAgain === before;
    before = tryAgain;
    return hasStopped;
  };
  await vi.waitUntil(isOver, { interval: 150, timeout: 5_000 });
}

interface Seen {
  decisions: Decision[];
  failures: (Error & { cause?: unknown })[];
  /** The longest answer, less what this process was held up by the rest of the machine. */
  longestMs: number;
}

/** Callers who call again as soon as they have an answer, through both clients, until they are stopped. */
function startLoad(policy: Policy, callers = 4) {
  const seen: Seen = { decisions: [], failures: [], longestMs: 0 };
  let stopped = false;
  const ticks = monitorEventLoopDelay({ resolution: 5 });
  ticks.enable();
  const running = Array.from({ length: callers }, async (_, index) => {
    const limiter = limiters[index % 2 === 0 ? 0 : 1];
    while (!stopped) {
      const { decision, failure, ms } = await timed(() => limiter.decide(policy, { subjects: {} }));
      if (decision) seen.decisions.push(decision);
      if (failure) seen.failures.push(failure);
      seen.longestMs = Math.max(seen.longestMs, ms);
      // A refusal from the denial cache is returned at once, and must not keep the sockets from being read.
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const stop = async (): Promise<Seen> => {
    stopped = true;
    await Promise.all(running);
    ticks.disable();
    return { ...seen, longestMs: seen.longestMs - ticks.max / 1e6 };
  };
  onTestFinished(async () => void (await stop()));
  const count = () => seen.decisions.length + seen.failures.length;
  return {
    seen: () => seen,
    /** Until so many more calls were answered. */
    async reach(more: number) {
      const goal = count() + more;
      await vi.waitUntil(() => count() >= goal, { timeout: 10_000, interval: 5 });
    },
    stop,
  };
}

async function timed(call: () => Promise<Decision>) {
  const started = performance.now();
  const outcome = await call().then(
    (decision) => ({ decision, failure: undefined }),
    (failure: Seen['failures'][number]) => ({ decision: undefined, failure }),
  );
  return { ...outcome, ms: performance.now() - started };
}

function expectUnavailable(error: unknown): undefined {
  expect(error).toBeInstanceOf(StoreUnavailableError);
}

/** The replication offset of a node: in the stream of its master, or in its own as a master. */
async function offsetOf({ client }: ClusterNode): Promise<number> {
  const info = await client.info('replication');
  return Number(/(?:slave|master)_repl_offset:(\d+)/.exec(info)?.[1]);
}

function admittedOf(decisions: readonly Decision[]): Decision[] {
  return decisions.filter(({ allowed }) => allowed);
}

/** The most that were admitted in any (t - windowMs, t]. */
function mostInAnyWindow(decisions: readonly Decision[], windowMs: number): number {
  const hits = admittedOf(decisions)
    .map(({ now }) => now)
    .sort((one, other) => one - other);
  let first = 0;
  let most = 0;
  hits.forEach((hit, index) => {
    while ((hits[first] ?? hit) <= hit - windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}
