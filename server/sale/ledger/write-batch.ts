import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../../db/client';
import { coupons, orders } from '../../db/schema';
import type { Fence } from '../gate/fence';
import type { Order } from '../orders/order';
import { orderColumns, toOrder } from '../orders/order-row';
import { findRefusal } from '../orders/refusal';
import type { OutboxEntry } from './outbox-entry';

/** What became of one entry: its order, and the one that the shopper holds where that is why it was refused. */
export interface SettledEntry {
  entry: OutboxEntry;
  order: Order;
  /** Written by this batch, not by one before. */
  isNew: boolean;
  held?: Order | undefined;
}

export interface WriteOptions {
  /** None of these can be confirmed, and their shoppers shall know. Default: false. */
  refuseAll?: boolean;
}

export interface WrittenBatch {
  settled: SettledEntry[];
  /** How far the gate has come, as the ledger knows now. */
  fence: Fence;
  /** The gate of this generation sold more than there is. */
  isOversold: boolean;
}

/**
 * Writes a batch of one coupon's outbox into the ledger, in one transaction, and says what became of each entry.
 * Safe to repeat: an entry that was written before keeps its order.
 *
 * The coupon's row lock puts batches and rebuilds of the gate in a line. Entries of an older generation are refused
 * (the rebuild did not count them), as is whatever the constraints behind the gate refuse: beyond the stock, a second
 * open order of a shopper, a request id for the second time.
 */
export async function writeBatch(
  db: Db,
  couponId: string,
  entries: readonly OutboxEntry[],
  { refuseAll = false }: WriteOptions = {},
): Promise<WrittenBatch> {
  const write = (care: Care) =>
    db.transaction((tx) => writeOrders(tx, couponId, entries, { refuseAll, care }));
  // Hardly ever was one of them written before, or is refused; to be ready for that costs Postgres a quarter of its time.
  return write('none').catch((error: unknown) => {
    if (findRefusal(error) === undefined) throw error;
    return write('of each');
  });
}

/**
 * `none`: fails where an order is in the ledger already, and where a constraint refuses one. `of each`: the former stay
 * as they are, the latter are refused one by one.
 */
type Care = 'none' | 'of each';

async function writeOrders(
  tx: Transaction,
  couponId: string,
  entries: readonly OutboxEntry[],
  { refuseAll, care }: { refuseAll: boolean; care: Care },
): Promise<WrittenBatch> {
  const [coupon] = await tx
    .select({ ...getTableColumns(coupons), now: nowAsStored })
    .from(coupons)
    .where(eq(coupons.id, couponId))
    .for('update');
  if (!coupon) throw new Error(`the outbox of ${couponId} has entries, and there is no such coupon`);

  const before = care === 'none' ? new Map<string, Order>() : await findOrders(tx, entries);
  const isFresh = ({ orderId }: OutboxEntry) => !before.has(orderId);
  const ofThisGate = entries.filter(({ generation }) => generation === coupon.generation);
  const current = refuseAll ? [] : ofThisGate.filter(isFresh);

  const shared = { couponId, onePerShopper: coupon.kind === 'seckill' };
  const confirmedAt = coupon.now;
  // What costs nothing is final once it is confirmed: nothing of it is held.
  const holdUntil = coupon.priceCents > 0 ? new Date(confirmedAt.getTime() + coupon.holdMs) : null;
  const asConfirmed = { ...shared, status: 'confirmed', confirmedAt, holdUntil } as const;
  const asCancelled = { ...shared, status: 'cancelled', confirmedAt: null, holdUntil: null } as const;

  // A refused row leaves its place in the stock to one further back, so a batch may take several rounds.
  const confirmed = new Map<string, Order>();
  let capacity = coupon.stock === null ? current.length : coupon.stock - coupon.sold;
  let next = 0;
  while (next < current.length && capacity > 0) {
    const round = current.slice(next, next + capacity);
    const inserted = await insertOrders(tx, round, { columns: asConfirmed, care });
    for (const [id, order] of inserted) confirmed.set(id, order);
    next += round.length;
    capacity -= inserted.size;
  }
  const refused = entries.filter((entry) => isFresh(entry) && !confirmed.has(entry.orderId));
  const cancelled = await insertOrders(tx, refused, { columns: asCancelled, care });

  const gateSequence = Math.max(coupon.gateSequence, ...ofThisGate.map(({ sequence }) => sequence));
  if (confirmed.size > 0) {
    const sold = sql`${coupons.sold} + ${confirmed.size}`;
    await tx
      .update(coupons)
      .set({ sold, gateSequence, soldOutAt: sql`case when ${sold} = ${coupons.stock} then now() end` })
      .where(eq(coupons.id, couponId));
  } else if (gateSequence > coupon.gateSequence) {
    await tx.update(coupons).set({ gateSequence }).where(eq(coupons.id, couponId));
  }

  const heldBy = await findHeld(tx, couponId, [...before.values(), ...cancelled.values()]);
  const settled = entries.map((entry) => {
    const { orderId } = entry;
    const order = before.get(orderId) ?? confirmed.get(orderId) ?? cancelled.get(orderId);
    if (!order) throw new Error(`order ${orderId} of ${couponId} was neither written nor refused`);
    const held = order.status === 'cancelled' ? heldBy.get(order.userId) : undefined;
    return { entry, order, isNew: isFresh(entry), held };
  });
  return {
    settled,
    fence: { generation: coupon.generation, sequence: gateSequence },
    isOversold: next < current.length,
  };
}

/** The instant of the transaction, in the precision of the columns that it is written to. */
const nowAsStored = sql`now()::timestamptz(3)`.mapWith(orders.createdAt);

/** What the ledger has of these already, by id. */
async function findOrders(tx: Transaction, entries: readonly OutboxEntry[]): Promise<Map<string, Order>> {
  const ids = entries.map(({ orderId }) => orderId);
  const rows = await tx.select(orderColumns).from(orders).where(inArray(orders.id, ids));
  return new Map(rows.map((row) => [row.id, toOrder(row)]));
}

interface InsertOptions {
  /** What the orders of the statement have in common. */
  columns: Pick<
    typeof orders.$inferSelect,
    'couponId' | 'status' | 'onePerShopper' | 'confirmedAt' | 'holdUntil'
  >;
  care: Care;
}

/** Answers those that no constraint has refused, by id. */
async function insertOrders(
  tx: Transaction,
  batch: readonly OutboxEntry[],
  { columns, care }: InsertOptions,
): Promise<Map<string, Order>> {
  if (batch.length === 0) return new Map();
  const { couponId, status, onePerShopper, confirmedAt, holdUntil } = columns;
  const isConfirmed = status === 'confirmed';
  const column = (read: (entry: OutboxEntry) => string | number | null) => sql`${sql.param(batch.map(read))}`;
  const { rows } = await tx.execute<{ id: string }>(sql`
    insert into orders
      (id, coupon_id, user_id, status, one_per_shopper, code, request_id, created_at, confirmed_at, hold_until)
    select id, ${couponId}, user_id, ${status}::order_status, ${onePerShopper}::boolean, code, request_id,
      to_timestamp(created_at_ms / 1000),
      ${sql.param(confirmedAt, orders.confirmedAt)}::timestamptz, ${sql.param(holdUntil, orders.holdUntil)}::timestamptz
    from unnest(
      ${column(({ orderId }) => orderId)}::text[], ${column(({ userId }) => userId)}::text[],
      ${column(({ code }) => code)}::text[],
      ${column(({ requestId }) => (isConfirmed ? requestId : null))}::text[],
      ${column(({ createdAt }) => createdAt)}::float8[]
    ) as entry (id, user_id, code, request_id, created_at_ms)
    ${care === 'none' ? sql`` : sql`on conflict do nothing returning id`}`);
  const ids = new Set(rows.map(({ id }) => id));
  const inserted = care === 'none' ? batch : batch.filter(({ orderId }) => ids.has(orderId));
  return new Map(
    inserted.map(({ orderId: id, userId, code, createdAt }) => [
      id,
      toOrder({ ...columns, id, userId, code, createdAt: new Date(createdAt) }),
    ]),
  );
}

/** The open orders because of which a constraint may have refused the cancelled ones among these, by shopper. */
async function findHeld(
  tx: Transaction,
  couponId: string,
  among: readonly Order[],
): Promise<Map<string, Order>> {
  const userIds = among.filter(({ status }) => status === 'cancelled').map(({ userId }) => userId);
  if (userIds.length === 0) return new Map();
  const rows = await tx
    .select(orderColumns)
    .from(orders)
    .where(
      and(
        eq(orders.couponId, couponId),
        inArray(orders.userId, userIds),
        eq(orders.onePerShopper, true),
        inArray(orders.status, ['confirmed', 'paid']),
      ),
    );
  return new Map(rows.map((row) => [row.userId, toOrder(row)]));
}
