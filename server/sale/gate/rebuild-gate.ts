import { and, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import type { Db } from '../../db/client';
import { coupons, orders } from '../../db/schema';
import { withinStoreTimeout } from '../../limiter';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { Coupon } from '../coupons/coupon';
import type { Fences } from './fence';
import { type Gate, REBUILD_WAIT_MS, RESERVATION_TTL_MS } from './gate';
import { createOrderId } from './order-id';

/** Another node that took the rebuild is left alone for this long. */
const CLAIM = sql`interval '2 seconds'`;
/** Version 0.1.0 remembered a request id for this long. */
const FORMER_REQUEST_TTL_MS = 24 * 60 * 60 * 1000;
/** Fields to one command while the buyers are collected. */
const CHUNK = 1_000;

/**
 * Rebuilds the gate of a coupon from the ledger, under a new generation. False where another node is at it.
 *
 * One node claims the rebuild, closes whatever gate there is, and writes what waits in the outbox while the ledger
 * still takes it. Then it raises the generation, by a compare-and-set: that and the reading of the orders are one
 * transaction under the coupon's row lock, as every batch of the ledger is: what the ledger wrote before is counted,
 * and what it would write after, of the generations before, it refuses.
 */
export async function rebuildGate(options: RebuildOptions, couponId: string): Promise<boolean> {
  const { db, gate, fences: fence, redis, drainOutbox } = options;
  const claimed = await claimRebuild(db, couponId);
  if (claimed === undefined) return false;
  const standing = await gate.readState(couponId, performance.now() + REBUILD_WAIT_MS);
  if (standing) await gate.close({ couponId, generation: standing.generation });
  await drainOutbox(couponId);
  const above = Math.max(standing?.generation ?? 0, fence.highest(couponId).generation);
  const ledger = await takeRebuild(db, { couponId, claimed, above });
  if (!ledger) return false;
  const { coupon, buyers, former } = ledger;
  const keys = saleKeys(couponId);

  const staged = keys.stagedBuyers(coupon.generation);
  for (let from = 0; from < buyers.length; from += CHUNK) {
    const fields = buyers
      .slice(from, from + CHUNK)
      .map((order) => [order.userId, remembered(order)] as const);
    await inTime(redis.hset(staged, new Map(fields)));
    await inTime(redis.pexpire(staged, RESERVATION_TTL_MS));
  }

  for (let from = 0; from < former.length; from += CHUNK) {
    const writing = former
      .slice(from, from + CHUNK)
      .map(({ requestId, ...order }) =>
        redis.set(
          keys.formerRequest(order.userId, requestId),
          remembered(order),
          'PX',
          FORMER_REQUEST_TTL_MS,
        ),
      );
    await inTime(Promise.all(writing));
  }

  return gate.open({
    couponId,
    generation: coupon.generation,
    kind: coupon.kind,
    startsAt: coupon.startsAt.getTime(),
    endsAt: coupon.endsAt.getTime(),
    remaining: coupon.stock === null ? null : coupon.stock - coupon.sold,
    stock: coupon.stock,
    revision: coupon.revision,
  });
}

export interface RebuildOptions {
  db: Db;
  gate: Gate;
  fences: Fences;
  redis: RedisClient;
  /** Writes whatever waits in the coupon's outbox. */
  drainOutbox: (couponId: string) => Promise<void>;
}

/** The generation that is to be replaced; undefined where another node is at it. */
async function claimRebuild(db: Db, couponId: string): Promise<number | undefined> {
  const isFree = or(isNull(coupons.gateClaimedAt), lt(coupons.gateClaimedAt, sql`now() - ${CLAIM}`));
  const [claimed] = await db
    .update(coupons)
    .set({ gateClaimedAt: sql`now()` })
    .where(and(eq(coupons.id, couponId), isFree))
    .returning({ generation: coupons.generation });
  return claimed?.generation;
}

/** The new generation is above the ledger's, and above that of any gate that knows another ledger. */
async function takeRebuild(
  db: Db,
  { couponId, claimed, above }: { couponId: string; claimed: number; above: number },
) {
  return db.transaction(async (tx) => {
    const [coupon] = await tx
      .update(coupons)
      .set({ generation: Math.max(claimed, above) + 1, gateSequence: 0, gateClaimedAt: sql`now()` })
      .where(and(eq(coupons.id, couponId), eq(coupons.generation, claimed)))
      .returning();
    if (!coupon) return undefined;

    const columns = { id: orders.id, userId: orders.userId, createdAt: orders.createdAt };
    const isOpen = inArray(orders.status, ['confirmed', 'paid']);
    const buyers =
      coupon.kind === 'seckill'
        ? await tx
            .select(columns)
            .from(orders)
            .where(and(eq(orders.couponId, couponId), isOpen))
        : [];
    return { coupon, buyers, former: await formerOrders(tx, coupon) };
  });
}

/** The orders of the last 24 hours that version 0.1.0 made under a request id: their own id is not derived from it. */
async function formerOrders(tx: Pick<Db, 'select'>, { id: couponId, kind }: Pick<Coupon, 'id' | 'kind'>) {
  const { id, userId, createdAt, requestId } = orders;
  const requested = await tx
    .select({ id, userId, createdAt, requestId: sql<string>`${requestId}` })
    .from(orders)
    .where(
      and(
        eq(orders.couponId, couponId),
        isNotNull(requestId),
        gt(createdAt, sql`now() - interval '24 hours'`),
      ),
    );
  return requested.filter((order) => order.id !== createOrderId({ ...order, kind, couponId }));
}

const inTime = <Answer>(answer: Promise<Answer>) => withinStoreTimeout(answer, REBUILD_WAIT_MS);

/** As `purchase.lua` remembers an order. */
function remembered({ id, createdAt }: { id: string; createdAt: Date }): string {
  return `${id} ${createdAt.getTime()}`;
}
