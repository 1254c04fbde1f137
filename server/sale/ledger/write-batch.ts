import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../../db/client';
import { coupons, orders } from '../../db/schema';
import { errorCodeOf } from '../../db/unavailable';
import type { Fence } from '../gate/fence';
import { type Order, orderColumns, toOrder } from '../order';
import type { OutboxEntry } from './outbox';

/** An entry with its order. `blockingOrder` is the shopper's other open order, if it is the reason of a refusal. */
export interface SettledEntry {
  entry: OutboxEntry;
  order: Order;
  /** Written by this batch, not by an earlier one. */
  isNew: boolean;
  blockingOrder?: Order | undefined;
}

export interface WrittenBatch {
  settled: SettledEntry[];
  /** The fence of the gate in the ledger after this batch. */
  fence: Fence;
  /** The gate of this generation sold more than the stock. */
  isOversold: boolean;
}

/**
 * Writes a batch of one coupon's outbox to Postgres in one transaction, and returns the order of each entry. It is safe to
 * repeat: an entry that was written before keeps its order. With `refuseAll` every new order is written as cancelled.
 *
 * The coupon's row lock serialises batches and rebuilds of the gate. Refused are entries of an older generation, because
 * the rebuild did not count them, and entries that a constraint refuses: beyond the stock, a second open order of a
 * shopper, a repeated request id.
 */
export async function writeBatch(
  db: Db,
  couponId: string,
  entries: readonly OutboxEntry[],
  { refuseAll = false }: { refuseAll?: boolean } = {},
): Promise<WrittenBatch> {
  const write = (onConflict: OnConflict) =>
    db.transaction((tx) => writeOrders(tx, couponId, entries, { refuseAll, onConflict }));
  // Conflicts are rare, and `on conflict` makes every batch slower.
  return write('fail').catch((error: unknown) => {
    if (findContentError(error) === undefined) throw error;
    return write('skip');
  });
}

/** Entries that were settled in one batch, or one entry that cannot be written. */
export type WriteOutcome = WrittenBatch | { unwritable: OutboxEntry; why: string };

/**
 * Writes all entries that can be written. A batch that is refused for its content is halved until the bad entry is alone.
 * Throws if Postgres is unavailable.
 */
export async function* writeEntries(
  entries: readonly OutboxEntry[],
  write: (batch: readonly OutboxEntry[]) => Promise<WrittenBatch>,
): AsyncGenerator<WriteOutcome> {
  const [first] = entries;
  if (!first) return;
  const outcome = await write(entries).catch((error: unknown) => {
    const why = findContentError(error);
    if (why === undefined) throw error;
    return { unwritable: first, why };
  });
  if (entries.length === 1 || 'settled' in outcome) {
    yield outcome;
    return;
  }
  const half = Math.ceil(entries.length / 2);
  yield* writeEntries(entries.slice(0, half), write);
  yield* writeEntries(entries.slice(half), write);
}

/**
 * Returns the reason for which Postgres refused the content of an entry, without that content; undefined for any other
 * error. Only these errors count against an entry: a Postgres that is down, full, locked or not migrated refuses any entry.
 */
export function findContentError(error: unknown): string | undefined {
  const code = errorCodeOf(error);
  if (code === undefined || !isOfContent(code)) return undefined;
  const constraint = constraintOf(error);
  return constraint ? `${code} ${constraint}` : code;
}

/** Class 22 is "data exception", 23 "integrity constraint violation". A trigger raises P0001. */
function isOfContent(code: string): boolean {
  return /^2[23]\w{3}$/.test(code) || code === 'P0001';
}

function constraintOf(error: unknown): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('constraint' in cause && typeof cause.constraint === 'string') return cause.constraint;
  }
  return undefined;
}

/**
 * `fail`: the batch fails if an order was written before or if a constraint refuses one. `skip`: orders that were written
 * before stay, and refused ones are skipped.
 */
type OnConflict = 'fail' | 'skip';

async function writeOrders(
  tx: Transaction,
  couponId: string,
  entries: readonly OutboxEntry[],
  { refuseAll, onConflict }: { refuseAll: boolean; onConflict: OnConflict },
): Promise<WrittenBatch> {
  const [coupon] = await tx
    .select({ ...getTableColumns(coupons), now: nowAsStored })
    .from(coupons)
    .where(eq(coupons.id, couponId))
    .for('update');
  if (!coupon) throw new Error(`the outbox of ${couponId} has entries, and there is no such coupon`);

  const written = onConflict === 'fail' ? new Map<string, Order>() : await findWritten(tx, entries);
  const isFresh = ({ orderId }: OutboxEntry) => !written.has(orderId);
  const ofThisGate = entries.filter(({ generation }) => generation === coupon.generation);
  const current = refuseAll ? [] : ofThisGate.filter(isFresh);

  const shared = { couponId, onePerShopper: coupon.kind === 'seckill' };
  const confirmedAt = coupon.now;
  // An order without a price is final when it is confirmed, so it has no hold.
  const holdUntil = coupon.priceCents > 0 ? new Date(confirmedAt.getTime() + coupon.holdMs) : null;
  const asConfirmed = { ...shared, status: 'confirmed', confirmedAt, holdUntil } as const;
  const asCancelled = { ...shared, status: 'cancelled', confirmedAt: null, holdUntil: null } as const;

  const stock = coupon.stock === null ? current.length : coupon.stock - coupon.sold;
  const { confirmed, isOversold } = await insertWithinStock(current, stock, (round) =>
    insertOrders(tx, round, { columns: asConfirmed, onConflict }),
  );
  const refused = entries.filter((entry) => isFresh(entry) && !confirmed.has(entry.orderId));
  const cancelled = await insertOrders(tx, refused, { columns: asCancelled, onConflict });

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

  const blockingOrders = await findBlockingOrders(tx, couponId, [...written.values(), ...cancelled.values()]);
  const settled = entries.map((entry) => {
    const { orderId } = entry;
    const order = written.get(orderId) ?? confirmed.get(orderId) ?? cancelled.get(orderId);
    if (!order) throw new Error(`order ${orderId} of ${couponId} was neither written nor refused`);
    const blockingOrder = order.status === 'cancelled' ? blockingOrders.get(order.userId) : undefined;
    return { entry, order, isNew: isFresh(entry), blockingOrder };
  });
  return {
    settled,
    fence: { generation: coupon.generation, sequence: gateSequence },
    isOversold,
  };
}

/** Inserts entries in rounds, until the stock is sold: the stock of a refused row goes to a later entry. */
async function insertWithinStock(
  entries: readonly OutboxEntry[],
  stock: number,
  insert: (round: readonly OutboxEntry[]) => Promise<Map<string, Order>>,
): Promise<{ confirmed: Map<string, Order>; isOversold: boolean }> {
  const confirmed = new Map<string, Order>();
  let next = 0;
  while (next < entries.length && confirmed.size < stock) {
    const round = entries.slice(next, next + stock - confirmed.size);
    for (const [id, order] of await insert(round)) confirmed.set(id, order);
    next += round.length;
  }
  return { confirmed, isOversold: next < entries.length };
}

/** The time of the transaction, in the precision of its columns. */
const nowAsStored = sql`now()::timestamptz(3)`.mapWith(orders.createdAt);

/** Returns the orders that were written before, by id. */
async function findWritten(tx: Transaction, entries: readonly OutboxEntry[]): Promise<Map<string, Order>> {
  const ids = entries.map(({ orderId }) => orderId);
  const rows = await tx.select(orderColumns).from(orders).where(inArray(orders.id, ids));
  return new Map(rows.map((row) => [row.id, toOrder(row)]));
}

/** The columns that all orders of a statement share. */
type SharedColumns = Pick<
  typeof orders.$inferSelect,
  'couponId' | 'status' | 'onePerShopper' | 'confirmedAt' | 'holdUntil'
>;

/** Inserts orders and returns the inserted ones by id, without those that a constraint has refused. */
async function insertOrders(
  tx: Transaction,
  batch: readonly OutboxEntry[],
  { columns, onConflict }: { columns: SharedColumns; onConflict: OnConflict },
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
    ${onConflict === 'fail' ? sql`` : sql`on conflict do nothing returning id`}`);
  const ids = new Set(rows.map(({ id }) => id));
  const inserted = onConflict === 'fail' ? batch : batch.filter(({ orderId }) => ids.has(orderId));
  return new Map(
    inserted.map(({ orderId: id, userId, code, createdAt }) => [
      id,
      toOrder({ ...columns, id, userId, code, createdAt: new Date(createdAt) }),
    ]),
  );
}

/** Finds the open orders that may have caused the refusals, by shopper. */
async function findBlockingOrders(
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
