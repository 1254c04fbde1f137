import { and, getTableColumns, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../../db/client';
import { coupons, orders } from '../../db/schema';
import { withinStoreTimeout } from '../../limiter/index';
import type { RedisClient } from '../../redis/client';
import { saleKeys } from '../../redis/keys';
import type { Fences } from './fence';
import { type Gate, REBUILD_TIMEOUT_MS, RESERVATION_TTL_MS } from './gate';

export interface RebuildOptions {
  db: Db;
  gate: Gate;
  fences: Fences;
  redis: RedisClient;
  /** Writes all entries of the coupon's outbox. */
  drainOutbox: (couponId: string) => Promise<void>;
}

/** Lifetime of a node's lease of a rebuild. */
const LEASE_LIFETIME = sql`interval '2 seconds'`;
/** Fields per command when the buyers are staged. */
const CHUNK = 1_000;

/** A leased rebuild. */
interface Rebuild {
  couponId: string;
  /** The generation to replace. */
  generation: number;
  /** The highest generation that this node has seen, also of a gate of another ledger. */
  knownGeneration: number;
}

/**
 * Rebuilds gates from the ledger, each with a new generation. Returns the coupons whose gates are open now: not those that
 * another node is rebuilding, and of several not those whose row is locked or whose outbox cannot be written. A single one
 * waits for its row. Throws if none can be written.
 *
 * One node leases the rebuild, closes the gate, and drains the outbox while the ledger still accepts its entries. Then it
 * raises the generation by a compare-and-set and reads the orders, in one transaction under the coupon's row lock, which
 * every batch of the ledger takes too. Entries that the ledger wrote before are counted. Later entries of an earlier
 * generation are refused.
 */
export async function rebuildGates(
  options: RebuildOptions,
  couponIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { db, gate, fences, drainOutbox } = options;
  const leased = await leaseRebuilds(db, couponIds);
  const closing = await Promise.allSettled(
    leased.map(async ({ couponId, generation }): Promise<Rebuild> => {
      const state = await gate.readState(couponId, performance.now() + REBUILD_TIMEOUT_MS);
      if (state) await gate.close({ couponId, generation: state.generation });
      await drainOutbox(couponId);
      const knownGeneration = Math.max(state?.generation ?? 0, fences.highest(couponId).generation);
      return { couponId, generation, knownGeneration };
    }),
  );
  const rebuilds = closing.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = closing.find((result) => result.status === 'rejected');
  if (failed && rebuilds.length === 0) throw failed.reason;
  const states = await raiseGenerations(db, rebuilds);
  const opened = await Promise.all(
    states.map(async (state) => ((await openGate(options, state)) ? [state.coupon.id] : [])),
  );
  return new Set(opened.flat());
}

/** The state of the ledger with which a gate opens. */
interface RaisedCoupon {
  coupon: typeof coupons.$inferSelect;
  /** The open orders of a seckill. */
  buyers: { id: string; userId: string; createdAt: Date }[];
}

async function openGate(
  { gate, redis }: Pick<RebuildOptions, 'gate' | 'redis'>,
  { coupon, buyers }: RaisedCoupon,
): Promise<boolean> {
  const staged = saleKeys(coupon.id).stagedBuyers(coupon.generation);
  for (let from = 0; from < buyers.length; from += CHUNK) {
    const fields = buyers.slice(from, from + CHUNK).map((order) => [order.userId, toStored(order)] as const);
    await withinRebuildTimeout(redis.hset(staged, new Map(fields)));
    await withinRebuildTimeout(redis.pexpire(staged, RESERVATION_TTL_MS));
  }

  return gate.open({
    couponId: coupon.id,
    generation: coupon.generation,
    kind: coupon.kind,
    startsAt: coupon.startsAt.getTime(),
    endsAt: coupon.endsAt.getTime(),
    remaining: coupon.stock === null ? null : coupon.stock - coupon.sold,
    stock: coupon.stock,
    revision: coupon.revision,
  });
}

/**
 * Leases rebuilds, except those that another node has leased. Of several, skips those whose row is locked, so that one
 * coupon delays no other.
 */
async function leaseRebuilds(
  db: Db,
  couponIds: readonly string[],
): Promise<{ couponId: string; generation: number }[]> {
  const { gateLeasedAt } = coupons;
  const isFree = or(isNull(gateLeasedAt), lt(gateLeasedAt, sql`now() - ${LEASE_LIFETIME}`));
  return db
    .update(coupons)
    .set({ gateLeasedAt: sql`now()` })
    .where(inArray(coupons.id, lockRows(db, couponIds, isFree)))
    .returning({ couponId: coupons.id, generation: coupons.generation });
}

/** Locks the rows of these coupons; of several, skips those that are locked. */
function lockRows(db: Db | Transaction, couponIds: readonly string[], where?: SQL) {
  return db
    .select({ id: coupons.id })
    .from(coupons)
    .where(and(inArray(coupons.id, [...couponIds]), where))
    .orderBy(coupons.id)
    .for('update', couponIds.length > 1 ? { skipLocked: true } : {});
}

/**
 * Raises the generations above the ledger's and above those of gates of another ledger, and reads the orders for the new
 * gates. Leaves out those that another node has raised.
 */
async function raiseGenerations(db: Db, rebuilds: readonly Rebuild[]): Promise<RaisedCoupon[]> {
  if (rebuilds.length === 0) return [];
  return db.transaction(async (tx) => {
    const locked = await lockRows(
      tx,
      rebuilds.map(({ couponId }) => couponId),
    );
    const ids = new Set(locked.map(({ id }) => id));
    const values = rebuilds
      .filter(({ couponId }) => ids.has(couponId))
      .map(({ couponId, generation, knownGeneration }) => ({
        couponId,
        generation,
        next: Math.max(generation, knownGeneration) + 1,
      }));
    if (values.length === 0) return [];
    const rows = sql.join(
      values.map(
        ({ couponId, generation, next }) => sql`(${couponId}::text, ${generation}::int, ${next}::int)`,
      ),
      sql`, `,
    );
    const raised = await tx
      .update(coupons)
      .set({
        generation: sql`raised.next`,
        gateSequence: 0,
        gateLeasedAt: sql`now()`,
        // Another node finds the gate here if this one dies before it opens it.
        gateChangedAt: sql`clock_timestamp()`,
      })
      .from(sql`(values ${rows}) as raised (id, generation, next)`)
      .where(sql`${coupons.id} = raised.id and ${coupons.generation} = raised.generation`)
      .returning(getTableColumns(coupons));

    const seckills = raised.filter(({ kind }) => kind === 'seckill').map(({ id }) => id);
    const open = await tx
      .select({
        couponId: orders.couponId,
        ...{ id: orders.id, userId: orders.userId, createdAt: orders.createdAt },
      })
      .from(orders)
      .where(and(inArray(orders.couponId, seckills), inArray(orders.status, ['confirmed', 'paid'])));
    const states = new Map(
      raised.map((coupon): [string, RaisedCoupon] => [coupon.id, { coupon, buyers: [] }]),
    );
    for (const order of open) states.get(order.couponId)?.buyers.push(order);
    return [...states.values()];
  });
}

const withinRebuildTimeout = <Reply>(reply: Promise<Reply>) => withinStoreTimeout(reply, REBUILD_TIMEOUT_MS);

/** Returns an order in the form that `purchase.lua` stores. */
function toStored({ id, createdAt }: { id: string; createdAt: Date }): string {
  return `${id} ${createdAt.getTime()}`;
}
