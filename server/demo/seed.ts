import type { Db } from '../db/client';
import { limitPersonOverrides } from '../db/limit-schema';
import { auditLog, coupons, merchants, users } from '../db/schema';
import { sharedSecret } from '../db/shared-secret';
import { maskSubject, pseudonymOf } from '../limiter/index';
import type { Localized } from '../trpc/context';
import { demoMerchants } from './seed-merchants';

/**
 * Inserts the demo's merchants, coupons and VIP. Existing rows stay unchanged, so every start of every node may call it: the
 * sale that starts two minutes after the first start does not start again, and changed prices stay. Call it before the node
 * reads the overrides, which include the VIP's.
 */
export async function seedDemo(db: Db, { now }: { now: number }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .insert(merchants)
      .values([...demoMerchants])
      .onConflictDoNothing();
    await tx.insert(coupons).values(demoCoupons(now)).onConflictDoNothing();
  });
  await seedVip(db);
}

const vip = { id: 'demo-vip', name: 'Vera', isDemo: true };

/** Everyone else has 5 tries in 10 s. */
const VIP_LIMIT = 20;

/** Inserts the VIP with a limit of her own, on the first start only: a limit that an operator removed stays removed. */
async function seedVip(db: Db): Promise<void> {
  const secret = await sharedSecret(db, 'subjects');
  await db.transaction(async (tx) => {
    const inserted = await tx.insert(users).values(vip).onConflictDoNothing().returning({ id: users.id });
    if (inserted.length === 0) return;
    const subject = maskSubject(vip.id);
    const rule = { kind: 'numbers', limit: VIP_LIMIT } as const;
    const reason = { who: 'demo', why: 'VIP' };
    await tx.insert(limitPersonOverrides).values({
      ...{ policy: 'coupon.seckill', level: 'user', ref: pseudonymOf(vip.id, secret) },
      ...{ subject, ...rule, ...reason },
    });
    await tx.insert(auditLog).values({
      ...{ what: 'limit.person.set', target: `coupon.seckill:user:${subject}`, ...reason },
      ...{ before: {}, after: rule },
    });
  });
}

type Row = typeof coupons.$inferInsert;

/** Returns the coupons of a demo that first starts at this instant (epoch ms). */
export function demoCoupons(now: number): Row[] {
  return [
    ...seckills.map(({ series, startsInMs, durationMs, ...coupon }) => ({
      ...coupon,
      id: `${series}-r1`,
      kind: 'seckill' as const,
      series,
      round: 1,
      startsAt: new Date(now + startsInMs),
      endsAt: new Date(now + startsInMs + durationMs),
    })),
    ...claims.map((coupon) => ({
      ...coupon,
      kind: 'claim' as const,
      priceCents: 0,
      startsAt: new Date(now - DAY),
      endsAt: new Date(now + 365 * DAY),
    })),
  ];
}

type MerchantId = (typeof demoMerchants)[number]['id'];

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

interface Seckill {
  series: string;
  merchantId: MerchantId;
  title: Localized;
  faceValueCents: number;
  priceCents: number;
  stock: number;
  /** Start of the sale relative to the first start of the demo. Negative: before it. */
  startsInMs: number;
  durationMs: number;
}

interface Claim {
  id: string;
  merchantId: MerchantId;
  title: Localized;
  faceValueCents: number;
}

/**
 * One sale of every kind: the largest saving, about to start, just ended (and free), plentiful, scarce. The home page features
 * the largest saving. Its stock outlasts a crowd of the demo, so that a visitor meets the limit and the queue before it is sold
 * out; that of the scarce one equals the limit. Each lasts for days and is followed by the next round of its series, so a
 * demo that runs for weeks is never empty.
 */
const seckills: readonly Seckill[] = [
  {
    series: 'hotpot-50',
    merchantId: 'ember-hotpot',
    title: { en: 'Charcoal hotpot dinner for two', zh: '炭火铜锅双人晚餐' },
    faceValueCents: 5_000,
    priceCents: 990,
    stock: 300,
    startsInMs: -MINUTE,
    durationMs: 3 * DAY,
  },
  {
    series: 'late-show-pair',
    merchantId: 'lantern-row-cinema',
    title: { en: 'Two seats for any late show', zh: '夜场电影双人票' },
    faceValueCents: 3_200,
    priceCents: 600,
    stock: 150,
    startsInMs: 2 * MINUTE,
    durationMs: 3 * DAY,
  },
  {
    series: 'sesame-bun-box',
    merchantId: 'black-sesame-bakery',
    title: { en: 'Box of six sesame buns, on the house', zh: '黑芝麻餐包六枚装，店家请客' },
    faceValueCents: 1_250,
    priceCents: 0,
    stock: 300,
    startsInMs: -DAY - 5 * SECOND,
    durationMs: DAY,
  },
  {
    series: 'bean-of-the-week',
    merchantId: 'slow-crane-coffee',
    title: { en: 'Bean of the week, 250\u00a0g, freshly roasted', zh: '本周咖啡豆 250\u00a0克，现烘' },
    faceValueCents: 1_600,
    priceCents: 450,
    stock: 10_000,
    startsInMs: -MINUTE,
    durationMs: 7 * DAY,
  },
  {
    series: 'ten-nigiri',
    merchantId: 'tidewater-sushi',
    title: { en: 'Ten nigiri, chosen by the chef', zh: '主厨发办握寿司十贯' },
    faceValueCents: 2_800,
    priceCents: 900,
    stock: 100,
    startsInMs: -MINUTE,
    durationMs: 3 * DAY,
  },
];

const claims: readonly Claim[] = [
  {
    id: 'any-bowl',
    merchantId: 'long-bench-noodles',
    title: { en: 'Any bowl of hand-pulled noodles', zh: '手工拉面任选一碗' },
    faceValueCents: 300,
  },
  {
    id: 'bring-a-friend',
    merchantId: 'chalk-and-rope',
    title: { en: 'First climb for a friend you bring', zh: '带朋友首次攀岩' },
    faceValueCents: 1_500,
  },
  {
    id: 'extra-broth',
    merchantId: 'ember-hotpot',
    title: { en: 'A second broth in your hotpot', zh: '火锅加一种汤底，鸳鸯随心' },
    faceValueCents: 680,
  },
  {
    id: 'miso-at-noon',
    merchantId: 'tidewater-sushi',
    title: { en: 'A bowl of miso with your lunch', zh: '午市赠味噌汤一碗' },
    faceValueCents: 450,
  },
  {
    id: 'popcorn',
    merchantId: 'lantern-row-cinema',
    title: { en: 'Large popcorn with any ticket', zh: '凭任意影票兑大桶爆米花' },
    faceValueCents: 550,
  },
  {
    id: 'second-hand-shelf',
    merchantId: 'margin-notes-books',
    title: { en: 'Any book from the second-hand shelves', zh: '旧书专架任选一本' },
    faceValueCents: 800,
  },
  {
    id: 'seasonal-bunch',
    merchantId: 'moss-and-stem',
    title: { en: 'A bunch of seasonal flowers', zh: '当季花束一束' },
    faceValueCents: 1_000,
  },
  {
    id: 'shoes-on-us',
    merchantId: 'nine-pin-alley',
    title: { en: 'Shoe hire for an evening', zh: '整晚球鞋租借' },
    faceValueCents: 400,
  },
  {
    id: 'spring-service',
    merchantId: 'pedal-works',
    title: { en: 'Brakes and gears set right', zh: '刹车变速精调' },
    faceValueCents: 1_900,
  },
  {
    id: 'first-bowl',
    merchantId: 'quiet-kiln',
    title: { en: 'Your first evening at the wheel', zh: '初次拉坯体验' },
    faceValueCents: 2_000,
  },
  {
    id: 'morning-cup',
    merchantId: 'slow-crane-coffee',
    title: { en: 'Filter coffee before ten', zh: '十点前手冲咖啡一杯' },
    faceValueCents: 420,
  },
];
