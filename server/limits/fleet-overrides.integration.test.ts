import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as after, setImmediate as nextTurn } from 'node:timers/promises';
import { asc, eq, sql } from 'drizzle-orm';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { queryDatabases } from '../../test/databases';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { startPostgres } from '../../test/services/postgres';
import { redisUrl } from '../../test/services/worker-services';
import { waitUntil } from '../../test/wait-until';
import type { Db } from '../db/client';
import { limitOverrides, limitPersonOverrides } from '../db/limit-schema';
import { auditLog } from '../db/schema';
import { createLimiter, type Limiter, resolvePolicy, shared } from '../limiter/index';
import { ioredisStore } from '../limiter/stores';
import type { Log } from '../observability/log';
import type { RedisClient } from '../redis/client';
import { overridesChannel } from '../redis/keys';
import { type RunningJob, startJob } from '../timers';
import { createFleetOverrides, type FleetOverrides, subscribeFleetOverrides } from './fleet-overrides';
import { liftPerson, setPerson } from './person-rows';

const policy = resolvePolicy<never>(
  {
    name: 'coupon.claim',
    levels: [
      { level: 'user', limit: 3, windowMs: 60_000 },
      { level: 'global', limit: 100, windowMs: 60_000 },
    ],
    message: { en: 'Too many.' },
    cost: 2,
  },
  'coupon.claim',
);

/** The parts of a node that apply overrides. */
interface TunedNode {
  limiter: Limiter;
  overrides: FleetOverrides;
  redis: RedisClient;
  subscriber: RedisClient;
  warn: ReturnType<typeof vi.fn<() => void>>;
  /** Starts polling every 500 ms. */
  poll(): void;
  stop(): Promise<void>;
}

async function startNode({ db, prefix }: { db: Db; prefix: string }): Promise<TunedNode> {
  const [redis, subscriber] = await Promise.all([
    connectTestRedis(await redisUrl()),
    connectTestRedis(await redisUrl()),
  ]);
  const warn = vi.fn<() => void>();
  const log = { warn };
  const limiter = createLimiter({
    store: ioredisStore(redis),
    secret: 'a secret of at least 32 characters',
    prefix,
  });
  const overrides = createFleetOverrides({ db, redis, limiter, log });
  await overrides.refreshOverrides();
  await subscribeFleetOverrides(subscriber, { overrides, log });
  const jobs: RunningJob[] = [];
  return {
    limiter,
    overrides,
    redis,
    subscriber,
    warn,
    poll: () => jobs.push(startJob(overrides.refreshOverrides, { everyMs: 500, onFailure: warn })),
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      for (const client of [redis, subscriber]) client.disconnect();
    },
  };
}

const userLevel = ({ limiter }: TunedNode) => limiter.effectivePolicy(policy).levels[0];
const heldBy = (node: TunedNode, limit: number) => waitUntil(() => userLevel(node)?.limit === limit);

describe.each(queryDatabases)('on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  let prefix: string;
  let here: TunedNode;
  let there: TunedNode;

  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.db.delete(limitOverrides);
    await database.db.delete(auditLog);
    prefix = freshPrefix();
    const node = { db: database.db, prefix };
    [here, there] = await Promise.all([startNode(node), startNode(node)]);
  });
  afterEach(() => Promise.all([here.stop(), there.stop()]));

  const ada = { policy, level: 'user', who: 'ada' };
  const audited = () => database.db.select().from(auditLog).orderBy(asc(auditLog.id));

  test('a change applies here before the answer, and on the other node within a second', async () => {
    const change = { limit: 8, windowMs: 30_000, mode: 'shadow' as const };
    expect(await here.overrides.setOverride({ ...ada, change })).toMatchObject({ ...change, version: 1 });
    expect(userLevel(here)).toMatchObject({ ...change, version: 1 });
    await heldBy(there, 8);
    expect(userLevel(there)).toMatchObject({ ...change, version: 1 });
  });

  test('a node without the subscription applies a change within a second by polling', async () => {
    there.subscriber.disconnect();
    there.poll();
    await here.overrides.setOverride({ ...ada, change: { limit: 7 } });
    await heldBy(there, 7);
    await here.overrides.resetOverride(ada);
    await heldBy(there, 3);
  });

  test('a change whose notification failed is made and logged', async () => {
    here.redis.disconnect();
    there.poll();
    await here.overrides.setOverride({ ...ada, change: { limit: 9 } });
    expect(userLevel(here)?.limit).toBe(9);
    expect(here.warn).toHaveBeenCalledOnce();
    await heldBy(there, 9);
  });

  test('a message on the channel changes nothing by itself', async () => {
    await here.overrides.setOverride({ ...ada, change: { limit: 8 } });
    for (const message of ['', 'no JSON', '{"policy":"coupon.claim","level":"user","limit":1}']) {
      await here.redis.publish(overridesChannel, message);
    }
    await here.overrides.setOverride({ ...ada, change: { windowMs: 5_000 } });
    await waitUntil(() => userLevel(there)?.windowMs === 5_000);
    expect(userLevel(there)?.limit).toBe(8);
    expect(there.warn).not.toHaveBeenCalled();
  });

  test('a change of a shared level by one policy applies to all its policies, which accept it', async () => {
    const system = shared('shop', { level: 'global', limit: 100, windowMs: 60_000 });
    const [browse, buy] = (['browse', 'buy'] as const).map((name) =>
      resolvePolicy<never>(
        { name, levels: [system], message: { en: 'Too many.' }, cost: name === 'buy' ? 5 : 1 },
        name,
      ),
    ) as [typeof policy, typeof policy];
    const change = { policy: browse, level: 'global', who: 'ada', sharing: [buy] };
    expect(await here.overrides.setOverride({ ...change, change: { limit: 7 } })).toMatchObject({
      policy: '@shop',
    });
    for (const one of [browse, buy])
      expect(here.limiter.effectivePolicy(one).levels[0]).toMatchObject({ limit: 7, version: 1 });
    await waitUntil(() => there.limiter.effectivePolicy(buy).levels[0]?.limit === 7);
    await expect(here.overrides.setOverride({ ...change, change: { limit: 4 } })).rejects.toThrow(
      'Policy "buy": global.limit is 4. A call costs 5',
    );
    await here.overrides.resetOverride({ policy: buy, level: 'global', who: 'ada' });
    expect(here.limiter.effectivePolicy(browse).levels[0]).toMatchObject({ limit: 100, version: 2 });
    expect((await audited()).map(({ target }) => target)).toEqual(['@shop:global', '@shop:global']);
  });

  test('an absent field stays unchanged; a reset restores the declared values and counts as a change', async () => {
    await here.overrides.setOverride({ ...ada, change: { limit: 8 } });
    expect(await here.overrides.setOverride({ ...ada, change: { mode: 'off' } })).toMatchObject({
      limit: 8,
      mode: 'off',
    });
    expect(await here.overrides.resetOverride(ada)).toEqual({
      policy: 'coupon.claim',
      level: 'user',
      version: 3,
    });
    expect(userLevel(here)).toMatchObject({ limit: 3, windowMs: 60_000, mode: 'enforce', version: 3 });
    expect(await here.overrides.setOverride({ ...ada, change: { limit: 4 } })).toMatchObject({
      limit: 4,
      version: 4,
    });
  });

  test('a reset of a declared level is no change', async () => {
    expect(await here.overrides.resetOverride(ada)).toMatchObject({ version: 0 });
    expect(userLevel(here)).toMatchObject({ limit: 3, version: 0 });
    expect(await audited()).toEqual([]);
  });

  test('a node that starts later applies earlier changes', async () => {
    await here.overrides.setOverride({ ...ada, change: { limit: 12 } });
    const restarted = await startNode({ db: database.db, prefix });
    expect(userLevel(restarted)).toMatchObject({ limit: 12, version: 1 });
    await restarted.stop();
  });

  test('the audit log has each change: who, what, before, after, why and when', async () => {
    const started = Date.now();
    await here.overrides.setOverride({ ...ada, change: { limit: 8 }, why: 'a crowd is coming' });
    await there.overrides.resetOverride({ ...ada, who: 'bob' });
    const rows = await audited();
    expect(rows).toMatchObject([
      {
        who: 'ada',
        what: 'limit.update',
        target: 'coupon.claim:user',
        before: { version: 0 },
        after: { limit: 8, version: 1 },
        why: 'a crowd is coming',
      },
      {
        who: 'bob',
        what: 'limit.reset',
        target: 'coupon.claim:user',
        before: { limit: 8, version: 1 },
        after: { version: 2 },
        why: null,
      },
    ]);
    for (const { changedAt } of rows) expect(Math.abs(changedAt.getTime() - started)).toBeLessThan(30_000);
  });

  test('concurrent changes of one level are serialized: no version is lost or used twice', async () => {
    const changes = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? here : there).overrides.setOverride({ ...ada, change: { limit: 10 + n } }),
    );
    const versions = (await Promise.all(changes)).map(({ version }) => version);
    expect(versions.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    const rows = await audited();
    const afters = rows.map(({ after: row }) => row);
    expect(rows.map(({ before }) => before)).toEqual([{ version: 0 }, ...afters.slice(0, -1)]);
    await waitUntil(() => [here, there].every((node) => userLevel(node)?.version === 20));
    expect(userLevel(there)?.limit).toBe(userLevel(here)?.limit);
  });

  const mistakes = [
    ['a limit of nothing', { limit: 0 }, /^Policy "coupon.claim": user.limit is 0\. Use a whole number/],
    ['half a unit', { limit: 2.5 }, /user\.limit is 2\.5/],
    ['a limit below the cost of a call', { limit: 1 }, /user\.limit is 1\. A call costs 2/],
    [
      'a window of more than a year',
      { windowMs: 4e10 },
      /user\.windowMs is 40000000000\. Use whole milliseconds/,
    ],
  ] as const;
  test.each(mistakes)(
    '%s is refused with the sentence, and nothing is written',
    async (_name, change, why) => {
      await expect(here.overrides.setOverride({ ...ada, change })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: why,
      });
      expect(await audited()).toEqual([]);
      expect(await database.db.select().from(limitOverrides)).toEqual([]);
    },
  );

  test('stored rows that do not apply are set aside with one warning each, and the others apply', async () => {
    const { redis } = here;
    const limiter = createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix,
    });
    const warn = vi.fn<(fields: object, message?: string) => void>();
    const overrides = createFleetOverrides({
      ...{ db: database.db, redis, limiter, policies: [policy] },
      log: { warn: warn as Log['warn'] },
    });
    const row = { who: 'ada', why: 'a test', version: 4 };
    const claim = { ...row, policy: policy.name };
    await database.db.insert(limitOverrides).values([
      { ...claim, level: 'user', limit: 1, mode: 'block' },
      { ...claim, level: 'global', limit: 50 },
      { ...claim, level: 'tenant', limit: 5 },
      { ...row, policy: 'coupon.gift', level: 'user', limit: 5 },
      { ...row, policy: '@shop', level: 'global' },
    ]);
    const person = { who: 'ada', why: 'a test', subject: 'a…', policy: policy.name, level: 'user' };
    const [eve, bob] = [limiter.pseudonymOf('eve'), limiter.pseudonymOf('bob')];
    await database.db.insert(limitPersonOverrides).values([
      { ...person, ref: eve, kind: 'numbers', limit: 1 },
      { ...person, ref: bob, kind: 'numbers', limit: 7 },
      { ...person, ref: 'eve', kind: 'exempt' },
      { ...person, ref: bob, level: 'tenant', kind: 'exempt' },
    ]);
    await overrides.refreshOverrides();
    const [user, all] = limiter.effectivePolicy(policy).levels;
    expect(user).toMatchObject({ limit: 3, mode: 'block', version: 4 });
    expect(all).toMatchObject({ limit: 50, version: 4 });
    const limitOf = async (name: string) => (await limiter.peek(policy, { user: name })).windows[0]?.limit;
    expect([await limitOf('eve'), await limitOf('bob')]).toEqual([3, 7]);
    const reasons = warn.mock.calls.map(([fields]) => Reflect.get(fields, 'reason'));
    expect(reasons.toSorted()).toEqual([
      'Policy "coupon.claim": level is "tenant". This release has user, global.',
      'Policy "coupon.claim": level is "tenant". This release has user, global.',
      expect.stringContaining('Policy "coupon.claim": person.ref is "eve".'),
      'Policy "coupon.claim": user.limit is 1. A call costs 2: allow at least that.',
      'Policy "coupon.claim": user.limit is 1. A call costs 2: allow at least that.',
      'Policy "coupon.gift": name is "coupon.gift". No procedure of this release has it.',
    ]);
    await overrides.setOverride({ policy, level: 'global', who: 'ada', change: { limit: 51 } });
    expect(limiter.effectivePolicy(policy).levels[1]).toMatchObject({ limit: 51 });
    expect(warn).toHaveBeenCalledTimes(6);
    // A rule of another release that does not apply still ends the one that it replaces.
    const [ofBob, ofUser] = [eq(limitPersonOverrides.ref, bob), eq(limitOverrides.level, 'user')];
    await database.db.update(limitPersonOverrides).set({ limit: 1, version: 5 }).where(ofBob);
    await database.db.update(limitOverrides).set({ version: 5 }).where(ofUser);
    await overrides.refreshOverrides();
    expect(await limitOf('bob')).toBe(3);
    await database.db.delete(limitPersonOverrides);
    await database.db.delete(limitOverrides);
  });

  /** The rows that each statement on a table of overrides for subjects returned. */
  function countReads() {
    const counts: number[] = [];
    const query = database.pool.query.bind(database.pool) as (
      ...args: unknown[]
    ) => Promise<{ rows: unknown[] }>;
    const spy = vi.spyOn(database.pool, 'query').mockImplementation((async (...args: unknown[]) => {
      const result = await query(...args);
      if (/^select .*"limit_person_/.test(JSON.parse(JSON.stringify(args[0])).text))
        counts.push(result.rows.length);
      return result;
    }) as never);
    onTestFinished(() => spy.mockRestore());
    return () => counts.splice(0).reduce((sum, count) => sum + count, 0);
  }

  test('with 9,900 rules for subjects, a change reads and applies only what changed', async () => {
    // Only the restarted node reads what is counted.
    for (const { subscriber } of [here, there]) subscriber.disconnect();
    const person = { policy: policy.name, level: 'user', subject: 'a…', who: 'ada', why: 'a test' };
    await database.db.execute(sql`
      insert into limit_person_overrides (policy, level, ref, subject, kind, "limit", who, why, version)
      select ${policy.name}, 'user', lpad(index::text, 22, '0'), 'a…', 'numbers', 9, 'ada', 'a test', 0
      from generate_series(1, 9900) as index`);
    await here.overrides.setOverride({ ...ada, level: 'global', change: { limit: 99 } });
    const restarted = await startNode({ db: database.db, prefix });
    const change = vi.spyOn(restarted.limiter, 'changeOverrides');
    const replace = vi.spyOn(restarted.limiter, 'setOverrides');
    const rowsRead = countReads();

    const stops = monitorEventLoopDelay({ resolution: 1 });
    stops.enable();
    // Of the level that has the rules.
    await restarted.overrides.setOverride({ ...ada, change: { limit: 8 } });
    stops.disable();
    expect(rowsRead()).toBe(0);
    expect(change.mock.lastCall?.[1]).toEqual([]);
    // Reading all of them took 400 ms.
    expect(stops.max / 1e6).toBeLessThan(150);

    const ref = restarted.limiter.pseudonymOf('eve');
    const limitOf = async () => (await restarted.limiter.peek(policy, { user: 'eve' })).windows[0]?.limit;
    const rule = { kind: 'numbers' as const, limit: 77 };
    const { personId } = await setPerson(database.db, { ...person, ref, rule });
    await restarted.overrides.refreshOverrides();
    expect([rowsRead(), await limitOf()]).toEqual([1, 77]);
    await liftPerson(database.db, { personId, who: 'ada' });
    await restarted.overrides.refreshOverrides();
    expect([rowsRead(), await limitOf()]).toEqual([1, 8]);
    // The lift stays, and the new rule goes before it.
    await setPerson(database.db, { ...person, ref, rule: { ...rule, limit: 78 } });
    await restarted.overrides.refreshOverrides();
    expect([rowsRead(), await limitOf()]).toEqual([1, 78]);
    expect(replace).not.toHaveBeenCalled();

    // A node of an older release inserts rules without a version.
    const old = { ...person, ref: restarted.limiter.pseudonymOf('old'), kind: 'exempt' as const };
    await database.db.insert(limitPersonOverrides).values(old);
    await here.overrides.setOverride({ ...ada, change: { limit: 7 } });
    await restarted.overrides.refreshOverrides();
    expect(change.mock.lastCall?.[1]).toMatchObject([{ ref: old.ref, rule: { kind: 'exempt' } }]);

    // A restored backup may have lower versions.
    await database.db.delete(limitPersonOverrides);
    await database.db.update(limitOverrides).set({ version: 1 });
    await restarted.overrides.refreshOverrides();
    expect(await limitOf()).toBe(7);
    await restarted.stop();
  });

  /** The most that was admitted in any window of this length, by the store's clock. */
  function worstWindow(instants: readonly number[], windowMs: number): number {
    const sorted = [...instants].sort((one, other) => one - other);
    return Math.max(
      ...sorted.map((until) => sorted.filter((at) => at > until - windowMs && at <= until).length),
    );
  }

  test('under limits that change every 100 ms, two nodes never admit more than the largest effective limit', async () => {
    const windowMs = 300;
    const racing = resolvePolicy<never>(
      {
        name: 'race',
        levels: [{ level: 'global', limit: 40, windowMs }],
        message: { en: 'Too many.' },
      },
      'race',
    );
    const admitted: number[] = [];
    let isOver = false;
    const callers = [here, there, here, there].map(async ({ limiter }) => {
      while (!isOver) {
        const decisions = await Promise.all(
          Array.from({ length: 8 }, () => limiter.decide(racing, { subjects: {} })),
        );
        for (const { allowed, now } of decisions) if (allowed) admitted.push(now);
        // A cached denial does not yield to the event loop, which the changes need.
        await nextTurn();
      }
    });
    const limits = [40, 5, 25, 11, 37, 2, 19, 40, 8, 31];
    for (const [round, limit] of [...limits, ...limits].entries()) {
      const { overrides } = round % 2 === 0 ? here : there;
      const changed = overrides.setOverride({
        policy: racing,
        level: 'global',
        who: 'ada',
        change: { limit },
      });
      await Promise.all([changed, after(100)]);
    }
    expect(worstWindow(admitted, windowMs)).toBeLessThanOrEqual(40);
    expect(worstWindow(admitted, windowMs)).toBeGreaterThan(20);

    // Once the last change holds everywhere, and one window has passed, it alone is effective.
    await here.overrides.setOverride({ policy: racing, level: 'global', who: 'ada', change: { limit: 4 } });
    await waitUntil(() => there.limiter.effectivePolicy(racing).levels[0]?.limit === 4);
    const settledAt = Math.max(...admitted);
    await waitUntil(() => admitted.filter((at) => at > settledAt + 2 * windowMs).length > 8);
    isOver = true;
    await Promise.all(callers);
    expect(
      worstWindow(
        admitted.filter((at) => at > settledAt + windowMs),
        windowMs,
      ),
    ).toBeLessThanOrEqual(4);
  });
});

test('while Postgres is down, known overrides stay effective, and the failure is reported once', async () => {
  const postgres = await startPostgres();
  const own = await freshDatabase(postgres.url);
  const node = await startNode({ db: own.db, prefix: freshPrefix() });
  await node.overrides.setOverride({ policy, level: 'user', who: 'ada', change: { limit: 8 } });
  await postgres.kill();
  const failed = vi.fn<(error: unknown) => void>();
  let polls = 0;
  const reading = startJob(
    () => {
      polls += 1;
      return node.overrides.refreshOverrides();
    },
    { everyMs: 10, onFailure: failed },
  );
  await waitUntil(() => polls > 5);
  expect(failed).toHaveBeenCalledOnce();
  expect(userLevel(node)).toMatchObject({ limit: 8, version: 1 });
  await reading.stop();
  await node.stop();
  await own.close();
});
