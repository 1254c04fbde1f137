import { randomUUID } from 'node:crypto';
import type { Db } from '../server/db/client';
import { coupons, merchants } from '../server/db/schema';

const HOUR_MS = 3_600_000;

/** Inserts a coupon and its merchant. Default: live, 50 in stock, at 9.90. */
export async function insertCoupon(
  db: Db,
  values: Partial<typeof coupons.$inferInsert> = {},
): Promise<string> {
  const id = values.id ?? `coupon-${randomUUID()}`;
  const text = (word: string) => ({ en: word, zh: word });
  const merchantId = `merchant-of-${id}`;
  await db.insert(merchants).values({
    id: merchantId,
    name: text('Shop'),
    category: text('Food'),
    address: text('Road 1'),
    about: text('A shop.'),
  });
  await db.insert(coupons).values({
    id,
    merchantId,
    kind: 'seckill',
    title: text('Coupon'),
    faceValueCents: 5_000,
    priceCents: 990,
    stock: values.kind === 'claim' ? null : 50,
    startsAt: new Date(Date.now() - HOUR_MS),
    endsAt: new Date(Date.now() + HOUR_MS),
    ...values,
  });
  return id;
}
