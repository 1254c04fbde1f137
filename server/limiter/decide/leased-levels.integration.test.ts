import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { maxInWindow } from '../../../test/lease-windows';
import { describeStores } from '../../../test/limiter-stores';
import { propertyRuns } from '../../../test/property';
import { freshPrefix } from '../../../test/redis';
import { createLimiter, type Limiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import type { Store } from '../stores/store';

const WINDOW_MS = 30_000;
const FOR_MS = 10_000;
/** Twice this is the shortest lease. */
const TIMEOUT_MS = 5_000;
const clock = { now: 1_795_226_300_000 };
let prefix: string;
beforeEach(() => {
  prefix = freshPrefix();
});

/** Starts a node. Nodes of one prefix share windows. */
function startNode(store: Store, warnings: string[] = []): Limiter {
  return createLimiter({
    store,
    secret: 'a secret of at least 32 characters',
    prefix,
    timeoutMs: TIMEOUT_MS,
    clock: () => clock.now,
    onWarning: (warning) => warnings.push(warning),
  });
}

const leased = {
  level: 'global',
  algorithm: 'sliding-counter',
  subWindows: 50,
  windowMs: WINDOW_MS,
  lease: { forMs: FOR_MS },
} as const;
/** The names are unique, because a limiter keeps the policies it has seen. */
const orders = definePolicy({ name: 'orders', levels: [{ ...leased, limit: 100 }] });
const burst = definePolicy({ name: 'burst', levels: [{ ...leased, limit: 20_000 }] });
const perUser = definePolicy({
  name: 'per-user',
  levels: [
    { level: 'user', limit: 2, windowMs: WINDOW_MS },
    { ...leased, limit: 100 },
  ],
});

async function usedOf(node: Limiter, policy: typeof orders | typeof perUser): Promise<number> {
  const { windows } = await node.peek(policy, {}, { levels: ['global'] });
  return windows[0]?.used ?? Number.NaN;
}

/** Sends calls at an even rate, so that the node takes batches. Returns the number of admitted calls. */
async function sendEvenly(
  node: Limiter,
  { calls, overMs }: { calls: number; overMs: number },
): Promise<number> {
  let admitted = 0;
  for (let call = 0; call < calls; call += 1) {
    clock.now += overMs / calls;
    if ((await node.check(orders, {})).allowed) admitted += 1;
  }
  return admitted;
}

describeStores((current) => {
  test('a level admits its limit in any window, and then refuses by its name until units return', async () => {
    const node = startNode(current.store);
    const decisions = await Promise.all(Array.from({ length: 120 }, () => node.check(orders, {})));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(100);
    const refused = decisions.at(-1);
    expect(refused).toMatchObject({
      allowed: false,
      reason: 'limited',
      refusedBy: { level: 'global', limit: 100, windowMs: WINDOW_MS, remaining: 0 },
    });
    const retryAfterMs = refused?.allowed === false ? Number(refused.retryAfterMs) : 0;
    expect(retryAfterMs).toBeGreaterThan(WINDOW_MS);
    expect(retryAfterMs).toBeLessThanOrEqual(WINDOW_MS + FOR_MS + (WINDOW_MS + FOR_MS) / 50);
    clock.now += retryAfterMs - 1;
    expect(await node.check(orders, {})).toMatchObject({ allowed: false, retryAfterMs: 1 });
    clock.now += 1;
    expect(await node.check(orders, {})).toMatchObject({ allowed: true });
  });

  test('20,000 calls at once share few commands, and all are admitted', async () => {
    let commands = 0;
    const { store } = current;
    const decide: Store['decide'] = (batch) => {
      commands += batch.length;
      return store.decide(batch);
    };
    const node = startNode({ ...store, decide });
    const calls = Array.from({ length: 20_000 }, () => node.check(burst, {}));
    expect((await Promise.all(calls)).filter(({ allowed }) => !allowed)).toEqual([]);
    expect(commands).toBeLessThanOrEqual(50);
  });

  test('units that are not spent return when their batch ends', async () => {
    const node = startNode(current.store);
    expect(await sendEvenly(node, { calls: 60, overMs: 6_000 })).toBe(60);
    const used = await usedOf(node, orders);
    expect(used).toBeGreaterThan(60);
    // A call ends the batches that are over. The second one after a pause takes a unit for itself only.
    for (let call = 0; call < 2; call += 1) {
      clock.now += FOR_MS;
      await node.check(orders, {});
    }
    await expect.poll(() => usedOf(node, orders)).toBe(62);
  });

  test('a call that another level refuses returns its unit to the batch', async () => {
    const node = startNode(current.store);
    for (let call = 0; call < 2; call += 1) await node.check(perUser, { user: 'ada' });
    const before = await usedOf(node, perUser);
    // The denial of ada's level is cached, so another node, which does not know it, takes a unit.
    const other = startNode(current.store);
    expect(await other.check(perUser, { user: 'ada' })).toMatchObject({
      allowed: false,
      refusedBy: { level: 'user' },
    });
    expect(await usedOf(other, perUser)).toBe(before + 1);
    expect(await other.check(perUser, { user: 'bob' })).toMatchObject({
      allowed: true,
      levels: [{ level: 'user' }, { level: 'global' }],
    });
    expect(await usedOf(other, perUser)).toBe(before + 1);
  });

  test.each([
    ['clear', (node: Limiter) => node.clear(orders, { level: 'global' })],
    ['reset', (node: Limiter) => node.reset(orders)],
  ])('after %s, a batch of before returns no units', async (_name, empty) => {
    const node = startNode(current.store);
    await sendEvenly(node, { calls: 60, overMs: 6_000 });
    await empty(node);
    const other = startNode(current.store);
    await Promise.all(Array.from({ length: 30 }, () => other.check(orders, {})));
    clock.now += FOR_MS;
    await node.close();
    expect(await usedOf(other, orders)).toBe(30);
  });

  test('a closed limiter gives its units back', async () => {
    const node = startNode(current.store);
    await sendEvenly(node, { calls: 60, overMs: 6_000 });
    const other = startNode(current.store);
    expect(await usedOf(other, orders)).toBeGreaterThan(60);
    await node.close();
    expect(await usedOf(other, orders)).toBe(60);
  });

  test('a changed limit ends the batches of a node at once', async () => {
    const node = startNode(current.store);
    await sendEvenly(node, { calls: 60, overMs: 6_000 });
    const policy = 'orders';
    node.setOverrides([{ policy, level: 'global', limit: 10, version: 1 }]);
    expect(await node.check(orders, {})).toMatchObject({ allowed: false, refusedBy: { limit: 10 } });
    node.setOverrides([{ policy, level: 'global', mode: 'off', version: 2 }]);
    expect(await node.check(orders, {})).toMatchObject({ allowed: true, levels: [] });
    node.setOverrides([{ policy, level: 'global', mode: 'shadow', limit: 10, version: 3 }]);
    expect(await node.check(orders, {})).toMatchObject({ allowed: true, shadowRefusals: ['global'] });
  });

  test('a rule with numbers for one subject is ignored, with the reason', async () => {
    const warnings: string[] = [];
    const node = startNode(current.store, warnings);
    const rule = { kind: 'numbers', limit: 1 } as const;
    node.setOverrides([], [{ policy: 'per-user', level: 'user', ref: node.pseudonymOf('ada'), rule }]);
    expect(await node.check(perUser, { user: 'ada' })).toMatchObject({
      allowed: true,
      levels: [{ limit: 2 }, {}],
    });
    expect(warnings).toEqual([expect.stringContaining('Omit rules with numbers where a level has a lease.')]);
  });

  test('three nodes admit at most the limit in every window, in any history', async () => {
    const someStep = fc.record({
      node: fc.nat(2),
      calls: fc.constantFrom(1, 1, 2, 5, 20),
      ms: fc.constantFrom(0, 1, 20, 100, 210, 2_000, 9_999, 10_000),
      user: fc.constantFrom('ada', 'bob', 'eve'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(someStep, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
        prefix = freshPrefix();
        const nodes = [0, 1, 2].map(() => startNode(current.store));
        const instants: number[] = [];
        for (const { node, calls, ms, user } of steps) {
          clock.now += ms;
          const limiter = nodes[node] as Limiter;
          const own = { user: `${user}${instants.length}` };
          const sent = Array.from({ length: calls }, () => limiter.check(history, own));
          for (const { allowed } of await Promise.all(sent)) if (allowed) instants.push(clock.now);
        }
        expect(maxInWindow(instants, WINDOW_MS)).toBeLessThanOrEqual(HISTORY_LIMIT);
      }),
      propertyRuns(Math.ceil(current.cases / 3), { short: Math.ceil(current.short / 2) }),
    );
  }, 600_000);
});

const HISTORY_LIMIT = 40;
const history = definePolicy({
  name: 'history',
  levels: [
    { level: 'user', limit: 6, windowMs: WINDOW_MS },
    { ...leased, limit: HISTORY_LIMIT },
  ],
});

describe('a lease is refused at the start', () => {
  const level = { ...leased, limit: 100 };
  const policy = { name: 'refused', levels: [level] };
  test.each([
    { what: 'a log', given: { ...policy, levels: [{ ...level, algorithm: 'sliding-log' as const }] } },
    { what: 'few sub-windows', given: { ...policy, levels: [{ ...level, subWindows: 49 }] } },
    { what: 'a short lease', given: { ...policy, levels: [{ ...level, lease: { forMs: 499 } }] } },
    { what: 'no units', given: { ...policy, levels: [{ ...level, lease: { forMs: 500, maxUnits: 0 } }] } },
    { what: 'a requestId', given: { ...policy, requestId: () => 'id' } },
    { what: 'settle', given: { ...policy, settle: 'failures' as const } },
    {
      what: 'punishment',
      given: {
        ...policy,
        levels: [
          { level: 'user', limit: 5, windowMs: 1_000, punishment: { warnAt: 1, banAt: 2, banMs: 1_000 } },
          level,
        ],
      },
    },
  ])('with $what', ({ given }) => {
    expect(() => definePolicy(given)).toThrow(/lease/);
  });
});
