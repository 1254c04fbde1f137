import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isFast } from '../test/is-fast';
import { describeApi } from './http/openapi';
import { declaredPolicies, listProcedures, policiesOf } from './limiter/adapters/trpc';
import type { Policy } from './limiter/index';
import { listPolicies } from './limits/policy-registry';
import { policies } from './policies';
import { createAppRouter } from './router';

const neverCalled = () => {
  throw new Error('reading a router calls nothing');
};

const routerOf = ({ demo }: { demo: boolean }) =>
  createAppRouter({
    policies: listPolicies({ demo }),
    auth: {
      ...{ demo, signInDemo: neverCalled, sendCode: neverCalled, verifyCode: neverCalled },
      revokeSession: neverCalled,
    },
    coupon: {
      couponReader: {
        list: neverCalled,
        byId: neverCalled,
        listCouponsOfMerchant: neverCalled,
        readVersion: neverCalled,
        invalidate: neverCalled,
      },
      couponCommands: { create: neverCalled, update: neverCalled, close: neverCalled },
      purchase: neverCalled,
    },
    demo: { demo, sendCrowd: neverCalled },
    lab: {
      run: neverCalled,
      readExample: neverCalled,
      readProgress: neverCalled,
      race: neverCalled,
      showMistake: neverCalled,
      measureRoundTrips: neverCalled,
      compareLeases: neverCalled,
      compareStorages: neverCalled,
      measureGrowth: neverCalled,
      runLadder: neverCalled,
      compareLayers: neverCalled,
      compareFairness: neverCalled,
      examine: neverCalled,
      readExamination: neverCalled,
      readSaleTraffic: neverCalled,
    },
    limit: {
      db: Object.create(null),
      limiter: {
        ...{ effectivePolicy: neverCalled, clear: neverCalled, pseudonymOf: neverCalled },
        bans: { add: neverCalled, list: neverCalled, count: neverCalled, lift: neverCalled },
      },
      overrides: {
        ...{ setOverride: neverCalled, resetOverride: neverCalled, switchQueue: neverCalled },
        publishOverrides: neverCalled,
      },
      ...{ normalizeAddress: neverCalled, normalizeRange: neverCalled, findUserId: neverCalled },
      onDenied: neverCalled,
    },
    merchant: { calls: Object.create(null), listCouponsOfMerchant: neverCalled },
    ops: {
      ...{ whatIf: neverCalled, listRefused: neverCalled, explain: neverCalled },
      listAuditLog: neverCalled,
      saleRows: { coupons: neverCalled, orders: neverCalled, merchants: neverCalled },
      ...{ refunds: { listDue: neverCalled, markSent: neverCalled }, listDeadLetters: neverCalled },
    },
    queue: { mine: neverCalled, leave: neverCalled },
    order: {
      shopperOrders: {
        list: neverCalled,
        byId: neverCalled,
        findWrittenOrder: neverCalled,
        findOrderOfRequest: neverCalled,
      },
      ordersToChange: { byId: neverCalled },
      cancel: neverCalled,
      pay: neverCalled,
    },
  });
const demoRouter = routerOf({ demo: true });
const declared = declaredPolicies(demoRouter);

test.each([...declared])('%s names declared policies or says unlimited', (_path, named) => {
  expect(named).not.toEqual([]);
  for (const policy of named) expect([...Object.values(policies), 'unlimited']).toContain(policy);
});

test.each([true, false])('the policies of a node are those of its procedures (demo: %s)', (demo) => {
  expect(new Set(listPolicies({ demo }))).toEqual(new Set(policiesOf(routerOf({ demo }))));
});

test('each procedure has its documented limit', () => {
  const limits = [...declared].map(([path, named]) => [
    path,
    named.length === 1 && named[0] === 'unlimited'
      ? 'unlimited'
      : named.flatMap((policy) => (policy === 'unlimited' ? policy : policy.levels.map(formatLevel))),
  ]);
  expect(Object.fromEntries(limits)).toEqual({
    'auth.me': ['ip 3000 / 60000'],
    'auth.sendCode': [
      'email 3 / 60000',
      'ip 30 / 60000',
      'ip-daily 1000 / 86400000',
      'mails 10000 / 86400000',
    ],
    'auth.signInDemo': ['ip 600 / 60000'],
    'auth.signOut': 'unlimited',
    'auth.verifyCode': [
      ...['email+ip 5 / 600000', 'email 20 / 600000', 'email-daily 100 / 86400000', 'ip 30 / 60000'],
    ],
    'ban.lift': 'unlimited',
    'ban.list': 'unlimited',
    'coupon.byId': ['ip 300 / 60000'],
    'coupon.claim': ['user 3 / 60000'],
    'coupon.close': 'unlimited',
    'coupon.create': 'unlimited',
    'coupon.list': ['ip 300 / 60000'],
    'coupon.seckill': ['user 5 / 10000', 'global 100 / 10000'],
    'coupon.update': 'unlimited',
    'demo.crowd': ['ip 6 / 60000'],
    'lab.arrivals': ['ip 10 / 60000'],
    'lab.ladder': ['ip 10 / 60000'],
    'lab.layers': ['ip 10 / 60000'],
    'lab.leases': ['ip 10 / 60000'],
    'lab.mistake': ['ip 10 / 60000'],
    'lab.cards': 'unlimited',
    'lab.example': 'unlimited',
    'lab.fairness': ['ip 10 / 60000'],
    'lab.examination': 'unlimited',
    'lab.examine': ['ip 10 / 60000'],
    'lab.progress': 'unlimited',
    'lab.race': ['ip 10 / 60000'],
    'lab.roundTrips': ['ip 10 / 60000'],
    'lab.run': ['ip 10 / 60000'],
    'lab.storageGrowth': ['ip 10 / 60000'],
    'lab.storages': ['ip 10 / 60000'],
    'lab.tap': ['ip 3 / 10000'],
    'limit.clear': 'unlimited',
    'limit.list': 'unlimited',
    'limit.mine': ['ip 3000 / 60000'],
    'limit.person.lift': 'unlimited',
    'limit.person.list': 'unlimited',
    'limit.person.set': 'unlimited',
    'limit.reset': 'unlimited',
    'limit.update': 'unlimited',
    'merchant.byId': ['ip 5 / 1000'],
    'merchant.list': ['ip 5 / 1000'],
    'ops.alertRules': 'unlimited',
    'ops.audit': 'unlimited',
    'ops.coupons': 'unlimited',
    'ops.deadLetters': 'unlimited',
    'ops.explain': 'unlimited',
    'ops.markRefundSent': 'unlimited',
    'ops.merchants': 'unlimited',
    'ops.orders': 'unlimited',
    'ops.refunds': 'unlimited',
    'ops.subjects': 'unlimited',
    'ops.whatIf': 'unlimited',
    'order.byId': 'unlimited',
    'order.cancel': ['user 6 / 60000'],
    'order.list': ['ip 3000 / 60000'],
    'queue.close': 'unlimited',
    'queue.leave': 'unlimited',
    'queue.mine': ['ip 3000 / 60000'],
    'queue.open': 'unlimited',
    'order.pay': ['order 1 in flight', 'user 6 / 60000'],
  });
});

function formatLevel({ level, limit, windowMs, concurrent }: Policy<never>['levels'][number]): string {
  return concurrent === undefined ? `${level} ${limit} / ${windowMs}` : `${level} ${concurrent} in flight`;
}

const limitMs = 50;

describe(`an input of 32 kB is accepted or refused in less than ${limitMs} ms`, () => {
  const units = [
    'a',
    'a-',
    'a.',
    'a@',
    '1',
    ' ',
    '\t',
    '-',
    '%',
    '[',
    '"',
    '\u0301\u0316',
    '\uFDFA',
    '\uD800',
  ];
  test.each(listProcedures(demoRouter))('of $path', ({ inputs }) => {
    for (const schema of inputs.filter((input) => input instanceof z.ZodType)) {
      for (const unit of units) {
        const text = unit.repeat(Math.ceil(32_000 / unit.length));
        expect(isFast(() => schema.safeParse(withText(schema, text)), { limitMs })).toBe(true);
        expect(isFast(() => schema.safeParse(withText(schema, `a@${text}!`)), { limitMs })).toBe(true);
      }
    }
  });
});

/** An input with the text in every field. */
function withText(schema: z.core.$ZodType, text: string): unknown {
  if (schema instanceof z.ZodObject) {
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, field]) => [name, withText(field, text)]),
    );
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return withText(schema.unwrap(), text);
  }
  return schema instanceof z.ZodPipe ? withText(schema.in, text) : text;
}

test('sign-in codes stay charged: no policy of the sign-in settles', () => {
  const signIn = Object.values<Policy<never>>(policies).filter(({ name }) => name?.startsWith('auth.'));
  expect(signIn.length).toBeGreaterThan(2);
  for (const { settle } of signIn) expect(settle).toBeUndefined();
});

test('the description of the API has the sign-in, the errors and the limits of each procedure, and none of an admin', () => {
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(describeApi(demoRouter));
  expect(Object.keys(paths).filter((path) => /coupon\.(create|update|close)|ops\.|ban\./.test(path))).toEqual(
    [],
  );
  expect(paths['/api/trpc/coupon.claim']?.post).toMatchObject({
    security: [{ session: [] }],
    requestBody: { content: { 'application/json': { schema: { required: ['couponId'] } } } },
    responses: {
      400: { $ref: '#/components/responses/Error' },
      401: { $ref: '#/components/responses/Error' },
      429: { $ref: '#/components/responses/Refusal' },
    },
    'x-ratelimit': [
      {
        policy: 'coupon.claim',
        onStoreError: 'closed',
        levels: [{ level: 'user', algorithm: 'sliding-log', limit: 3, windowMs: 60_000 }],
      },
    ],
  });
});
