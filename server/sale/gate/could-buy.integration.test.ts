import { randomUUID } from 'node:crypto';
import { TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertCoupon } from '../../../test/coupons';
import { freshDatabase, type TestDatabase } from '../../../test/database';
import { clientOf, startTestNode, type TestNode } from '../../../test/node';
import { startRedis } from '../../../test/services/redis';
import type { TestService } from '../../../test/services/test-service';
import { postgresUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { resolvePolicy } from '../../limiter/index';
import { policies } from '../../policies';
import type { Conditions } from '../../trpc/context';

const seckill = resolvePolicy(policies.seckill, policies.seckill.name);

let database: TestDatabase;
let redis: TestService;
beforeAll(async () => {
  database = await freshDatabase(await postgresUrl());
});
afterAll(() => database.drop());
beforeEach(async () => {
  redis = await startRedis();
  return () => redis.stop();
});

async function startNode(conditions?: Conditions): Promise<TestNode> {
  const settings = { REDIS_URL: redis.url, DATABASE_URL: database.url };
  return startTestNode(settings, conditions && { conditions });
}

/** The outcome of a call, the level that refused it, or the code of its error. */
async function outcomeOf(call: Promise<{ outcome: string }>): Promise<string> {
  try {
    return (await call).outcome;
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    return error.data?.rateLimit?.level ?? error.data?.code ?? error.message;
  }
}

function buy(node: TestNode, { couponId, userId }: { couponId: string; userId: string }): Promise<string> {
  return outcomeOf(clientOf(node, userId).coupon.seckill.mutate({ couponId }));
}

/** Instants of the charges of `global`; its window is longer than any of these tests. */
async function charges({ limiter }: TestNode): Promise<number[]> {
  const { windows } = await limiter.peek(seckill, {}, { levels: ['global'] });
  return windows[0]?.hits ?? [];
}

describe('a call that cannot buy does not charge the global window', () => {
  let node: TestNode;
  let couponId: string;
  beforeEach(async () => {
    node = await startNode();
    couponId = await openCoupon([node]);
    return () => node.stop();
  });

  test('of five clicks of one shopper only the first charges it, and the user level refuses the sixth', async () => {
    const outcomes: string[] = [];
    for (let click = 0; click < 6; click += 1) outcomes.push(await buy(node, { couponId, userId: 'ada' }));
    expect(outcomes).toEqual(['accepted', ...Array(4).fill('already-bought'), 'user']);
    expect(await charges(node)).toHaveLength(1);
    const { windows } = await clientOf(node, 'ada').limit.mine.query();
    expect(windows.find(({ policy }) => policy === seckill.name)).toMatchObject({ level: 'user', used: 5 });
  });

  test('the same while the global window is full', async () => {
    await buy(node, { couponId, userId: 'ada' });
    node.limiter.setOverrides([{ policy: seckill.name, level: 'global', limit: 1, version: 1 }]);
    const outcomes: string[] = [];
    for (let click = 0; click < 5; click += 1) outcomes.push(await buy(node, { couponId, userId: 'ada' }));
    expect(outcomes).toEqual([...Array(4).fill('already-bought'), 'user']);
    expect(await buy(node, { couponId, userId: 'bob' })).toBe('global');
  });

  test.each([
    ['an unknown coupon', { couponId: 'nothing' }, 'NOT_FOUND'],
    ['an id that no coupon can have', { couponId: '' }, 'BAD_REQUEST'],
    ['a request id that is none', { requestId: 'none' }, 'BAD_REQUEST'],
  ])('%s', async (_what, input, outcome) => {
    const call = clientOf(node, 'ada').coupon.seckill.mutate({ couponId, ...input });
    expect(await outcomeOf(call)).toBe(outcome);
    expect(await charges(node)).toEqual([]);
  });

  test.each([
    ['a sale that has not begun', { startsAt: new Date(Date.now() + 600_000) }, 'not-started'],
    ['a sale that has ended', { endsAt: new Date(Date.now() - 1_000) }, 'ended'],
    ['a claim coupon', { kind: 'claim', stock: null }, 'BAD_REQUEST'],
  ] as const)('%s', async (_what, values, outcome) => {
    const other = await insertCoupon(database.db, values);
    await node.sale.ensureGate(other);
    expect(await buy(node, { couponId: other, userId: 'ada' })).toBe(outcome);
    expect(await charges(node)).toEqual([]);
  });

  test('a coupon that is sold out', async () => {
    const last = await openCoupon([node], { stock: 1 });
    await buy(node, { couponId: last, userId: 'ada' });
    await buy(node, { couponId: last, userId: 'bob' });
    const after = await charges(node);
    expect(await buy(node, { couponId: last, userId: 'eve' })).toBe('sold-out');
    expect(await charges(node)).toEqual(after);
  });

  test('request ids of another coupon', async () => {
    const other = await openCoupon([node]);
    const { seckill: call } = clientOf(node, 'ada').coupon;
    const requestIds = [randomUUID(), randomUUID()];
    for (const requestId of requestIds) await call.mutate({ couponId, requestId });
    const before = await charges(node);
    for (const requestId of requestIds)
      expect(await outcomeOf(call.mutate({ couponId: other, requestId }))).toBe('CONFLICT');
    expect(await charges(node)).toEqual(before);
  });

  test('a shopper who has cancelled may buy again, for one more charge', async () => {
    const ada = clientOf(node, 'ada');
    const bought = await ada.coupon.seckill.mutate({ couponId });
    if (!('order' in bought)) throw new Error(bought.outcome);
    await ada.order.cancel.mutate({ id: bought.order.id });
    expect(await buy(node, { couponId, userId: 'ada' })).toBe('accepted');
    expect(await charges(node)).toHaveLength(2);
  });
});

/** The state that a node decides by; a test changes it while the node runs. */
interface OldState extends Conditions {
  replace(couldBuy: Conditions['couldBuy']): void;
}

function createOldState(): OldState {
  let current: Conditions['couldBuy'] = () => true;
  return {
    couldBuy: (purchase) => current(purchase),
    replace(couldBuy) {
      current = couldBuy;
    },
  };
}

describe('two nodes whose state is old', () => {
  let states: OldState[];
  let here: TestNode;
  let there: TestNode;
  beforeEach(async () => {
    states = [createOldState(), createOldState()];
    const nodes = await Promise.all(states.map((state) => startNode(state)));
    [here, there] = nodes as [TestNode, TestNode];
    return () => Promise.all(nodes.map((node) => node.stop()));
  });

  const replaceStates = (couldBuy: Conditions['couldBuy']) => {
    for (const state of states) state.replace(couldBuy);
  };
  const openHereAndThere = (values?: Parameters<typeof insertCoupon>[1]) => openCoupon([here, there], values);
  const operator = () => clientOf(here, { id: 'the-operator', name: 'the-operator', role: 'admin' }).coupon;

  /** Sends a call of a new shopper each, over both nodes at once. Returns how often each outcome came. */
  async function crowd(couponId: string, size: number): Promise<Record<string, number>> {
    const calls = Array.from({ length: size }, (_, index) =>
      buy(index % 2 === 0 ? here : there, { couponId, userId: `shopper-${randomUUID()}` }),
    );
    const counts: Record<string, number> = {};
    for (const outcome of await Promise.all(calls)) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return counts;
  }

  /**
   * Expects so many orders and so many charges, and the nth order not before the nth charge by Redis's clock: so in every
   * window that has ended, orders are at most charges.
   */
  async function expectOrders(
    couponId: string,
    orders: number,
    { charged }: { charged: number },
  ): Promise<void> {
    await waitUntil(async () => (await orderRows(couponId)).length === orders);
    const rows = await orderRows(couponId);
    const instants = rows.map(({ createdAt }) => createdAt.getTime()).sort((one, other) => one - other);
    const chargeInstants = await charges(here);
    expect(chargeInstants).toHaveLength(charged);
    for (const [index, at] of instants.entries()) expect(chargeInstants[index]).toBeLessThanOrEqual(at);
  }

  test('opening: nodes whose state is closed charge each purchase', async () => {
    const couponId = await openHereAndThere({ startsAt: new Date(Date.now() + 3_600_000), stock: 20 });
    replaceStates(() => false);
    expect(await crowd(couponId, 4)).toEqual({ 'not-started': 4 });
    await expectOrders(couponId, 0, { charged: 0 });

    await operator().update.mutate({ id: couponId, startsAt: Date.now() - 1_000 });
    expect(await crowd(couponId, 6)).toEqual({ accepted: 6 });
    await expectOrders(couponId, 6, { charged: 6 });
  });

  test('addStock: nodes whose state is sold out charge each added unit', async () => {
    const couponId = await openHereAndThere({ stock: 2 });
    expect(await crowd(couponId, 6)).toEqual({ accepted: 2, 'sold-out': 4 });
    await expectOrders(couponId, 2, { charged: 6 });
    replaceStates(() => false);
    expect(await crowd(couponId, 4)).toEqual({ 'sold-out': 4 });

    await operator().update.mutate({ id: couponId, addStock: 5 });
    const outcomes = await crowd(couponId, 10);
    expect(outcomes.accepted).toBe(5);
    // Calls that race for the last piece may charge for what another one gets.
    await expectOrders(couponId, 7, { charged: (await charges(here)).length });
  });

  test('cancel: nodes whose state has an open order charge the next purchase', async () => {
    const couponId = await openHereAndThere();
    const bought = await clientOf(here, 'ada').coupon.seckill.mutate({ couponId });
    if (!('order' in bought)) throw new Error(bought.outcome);
    replaceStates(() => false);
    expect(await buy(there, { couponId, userId: 'ada' })).toBe('already-bought');
    await expectOrders(couponId, 1, { charged: 1 });

    await clientOf(there, 'ada').order.cancel.mutate({ id: bought.order.id });
    expect(await buy(here, { couponId, userId: 'ada' })).toBe('accepted');
    expect(await buy(there, { couponId, userId: 'ada' })).toBe('already-bought');
    await expectOrders(couponId, 2, { charged: 2 });
  });

  test('expiry: the same once the hold of an unpaid order has ended', async () => {
    const couponId = await openHereAndThere({ holdMs: 100, stock: 1 });
    expect(await buy(here, { couponId, userId: 'ada' })).toBe('accepted');
    replaceStates(() => false);
    const isOnSaleAgain = async () =>
      (await here.sale.readStock([couponId])).some(({ remaining }) => remaining === 1);
    await waitUntil(isOnSaleAgain);
    const [one, other] = await Promise.all(
      [here, there].map((node) => buy(node, { couponId, userId: 'ada' })),
    );
    expect([one, other]).toContain('accepted');
    await expectOrders(couponId, 2, { charged: (await charges(here)).length });
  });

  test('charges and orders stay within the limit, whatever the state', async () => {
    const level = { policy: seckill.name, level: 'global' };
    for (const { limiter } of [here, there])
      limiter.setOverrides([{ ...level, limit: 10, windowMs: 600_000, version: 1 }]);
    const couponId = await openHereAndThere({ stock: 1_000 });
    let call = 0;
    replaceStates(() => (call++ * 7) % 5 < 2);
    expect(await crowd(couponId, 120)).toEqual({ accepted: 10, global: 110 });
    await expectOrders(couponId, 10, { charged: 10 });
  });

  test('a call that is repeated under its request id is charged once and buys once', async () => {
    const couponId = await openHereAndThere();
    let call = 0;
    replaceStates(() => call++ % 2 === 0);
    const input = { couponId, requestId: randomUUID() };
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        clientOf(index % 2 === 0 ? here : there, 'ada').coupon.seckill.mutate(input),
      ),
    );
    expect(new Set(replies.map(({ outcome }) => outcome))).toContain('accepted');
    await expectOrders(couponId, 1, { charged: 1 });
  });
});

/** Inserts a coupon and waits until its gate is open. */
async function openCoupon(
  nodes: readonly TestNode[],
  values: Parameters<typeof insertCoupon>[1] = {},
): Promise<string> {
  const couponId = await insertCoupon(database.db, values);
  for (const { sale } of nodes) await waitUntil(() => sale.ensureGate(couponId));
  return couponId;
}

function orderRows(couponId: string) {
  return database.db.query.orders.findMany({ where: (order, { eq }) => eq(order.couponId, couponId) });
}
