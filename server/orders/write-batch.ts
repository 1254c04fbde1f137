import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { GateMark } from '../coupons/fence';
import type { Db, Transaction } from '../db/client';
import { coupons, orders } from '../db/schema';
import type { Order } from './order';
import { orderColumns, toOrder } from './order-row';
import type { OutboxEntry } from './outbox-entry';

/** What became of one entry: its order, and the one that the shopper holds where that is why it was refused. */
export interface Settled {
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
  settled: Settled[];
  /** How far the gate has come, as the ledger knows now. */
  mark: GateMark;
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
  return db.transaction(async (tx) => {
    const [coupon] = await tx.select().from(coupons).where(eq(coupons.id, couponId)).for('update');
    if (!coupon) throw new Error(`the outbox of ${couponId} has entries, and there is no such coupon`);

    const ids = entries.map(({ orderId }) => orderId);
    const written = new Set(
      (await tx.select({ id: orders.id }).from(orders).where(inArray(orders.id, ids))).map(({ id }) => id),
    );
    const fresh = entries.filter(({ orderId }) => !written.has(orderId));
    const ofThisGate = entries.filter(({ generation }) => generation === coupon.generation);
    const current = refuseAll ? [] : ofThisGate.filter(({ orderId }) => !written.has(orderId));

    const onePerShopper = coupon.kind === 'seckill';
    // What costs nothing is final once it is confirmed: nothing of it is held.
    const isHeld = coupon.priceCents > 0;
    const holdUntil = isHeld ? sql`now() + ${coupon.holdMs}::integer * interval '1 ms'` : sql`null`;
    const insert = (status: Order['status'], batch: readonly OutboxEntry[], hold: SQL) =>
      insertOrders(tx, { couponId, onePerShopper, status, batch, hold });

    // A refused row leaves its place in the stock to one further back, so a batch may take several rounds.
    const confirmed = new Set<string>();
    let capacity = coupon.stock === null ? current.length : coupon.stock - coupon.sold;
    let next = 0;
    while (next < current.length && capacity > 0) {
      const round = current.slice(next, next + capacity);
      const inserted = await insert('confirmed', round, holdUntil);
      for (const id of inserted) confirmed.add(id);
      next += round.length;
      capacity -= inserted.length;
    }
    await insert(
      'cancelled',
      fresh.filter(({ orderId }) => !confirmed.has(orderId)),
      sql`null`,
    );

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
    const settled = await settle(tx, { couponId, entries, written });
    return {
      settled,
      mark: { generation: coupon.generation, sequence: gateSequence },
      isOversold: next < current.length,
    };
  });
}

async function insertOrders(
  tx: Transaction,
  { couponId, onePerShopper, status, batch, hold }: InsertOptions,
): Promise<string[]> {
  if (batch.length === 0) return [];
  const isConfirmed = status === 'confirmed';
  const column = (read: (entry: OutboxEntry) => string | number | null) => sql`${sql.param(batch.map(read))}`;
  const { rows } = await tx.execute<{ id: string }>(sql`
    insert into orders
      (id, coupon_id, user_id, status, one_per_shopper, code, request_id, created_at, confirmed_at, hold_until)
    select id, ${couponId}, user_id, ${status}::order_status, ${onePerShopper}::boolean, code, request_id,
      to_timestamp(created_at_ms / 1000.0), case when ${isConfirmed}::boolean then now() end, ${hold}
    from unnest(
      ${column(({ orderId }) => orderId)}::text[], ${column(({ userId }) => userId)}::text[],
      ${column(({ code }) => code)}::text[],
      ${column(({ requestId }) => (isConfirmed ? requestId : null))}::text[],
      ${column(({ createdAt }) => createdAt)}::bigint[]
    ) as entry (id, user_id, code, request_id, created_at_ms)
    on conflict do nothing
    returning id`);
  return rows.map(({ id }) => id);
}

interface InsertOptions {
  couponId: string;
  onePerShopper: boolean;
  status: Order['status'];
  batch: readonly OutboxEntry[];
  hold: SQL;
}

/** Reads back what stands in the ledger for each entry. */
async function settle(
  tx: Transaction,
  {
    couponId,
    entries,
    written,
  }: { couponId: string; entries: readonly OutboxEntry[]; written: ReadonlySet<string> },
): Promise<Settled[]> {
  const ids = entries.map(({ orderId }) => orderId);
  const rows = await tx.select(orderColumns).from(orders).where(inArray(orders.id, ids));
  const byId = new Map(rows.map((row) => [row.id, toOrder(row)]));

  const refused = [...byId.values()]
    .filter(({ status }) => status === 'cancelled')
    .map(({ userId }) => userId);
  const heldBy = await openSeckillOrders(tx, couponId, refused);
  return entries.map((entry) => {
    const order = byId.get(entry.orderId);
    if (!order) throw new Error(`order ${entry.orderId} of ${couponId} was neither written nor refused`);
    const isNew = !written.has(order.id);
    return { entry, order, isNew, held: order.status === 'cancelled' ? heldBy.get(order.userId) : undefined };
  });
}

async function openSeckillOrders(
  tx: Transaction,
  couponId: string,
  userIds: readonly string[],
): Promise<Map<string, Order>> {
  if (userIds.length === 0) return new Map();
  const rows = await tx
    .select(orderColumns)
    .from(orders)
    .where(
      and(
        eq(orders.couponId, couponId),
        inArray(orders.userId, [...userIds]),
        eq(orders.onePerShopper, true),
        inArray(orders.status, ['confirmed', 'paid']),
      ),
    );
  return new Map(rows.map((row) => [row.userId, toOrder(row)]));
}
