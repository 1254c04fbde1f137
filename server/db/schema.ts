import { type SQL, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  type PgColumn,
  pgEnum,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

/** A text in every language of the product: `Localized`, which this layer may not import. */
type Localized = Readonly<Record<'en' | 'zh', string>>;
/** A column for an instant, with milliseconds. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });

export const userRole = pgEnum('user_role', ['shopper', 'admin']);
export const couponKind = pgEnum('coupon_kind', ['seckill', 'claim']);
export const orderStatus = pgEnum('order_status', ['confirmed', 'paid', 'cancelled', 'expired']);
export const paymentStatus = pgEnum('payment_status', [
  'pending',
  'approved',
  'declined',
  'refund-due',
  'refunded',
]);

/** Values that all nodes share, such as the key of the subjects' HMACs. */
export const sharedSecrets = pgTable('shared_secrets', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});

export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email'),
    role: userRole('role').notNull().default('shopper'),
    /** Demo users: the same name is the same shopper. */
    isDemo: boolean('is_demo').notNull().default(false),
    /** Incremented by a sign-out. A session cookie of a lower version is revoked. */
    sessionVersion: integer('session_version').notNull().default(0),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('users_email').on(table.email),
    uniqueIndex('users_demo_name').on(table.name).where(sql`${table.isDemo}`),
  ],
);

/**
 * Requested codes that are not redeemed yet. The table holds only hashes, so its rows reveal neither addresses nor
 * codes.
 */
export const signInCodes = pgTable('sign_in_codes', {
  /** Hash of the e-mail and the requesting browser. */
  requestHash: text('request_hash').primaryKey(),
  codeHash: text('code_hash').notNull(),
  expiresAt: instant('expires_at').notNull(),
});

export const merchants = pgTable(
  'merchants',
  {
    id: text('id').primaryKey(),
    name: jsonb('name').$type<Localized>().notNull(),
    category: jsonb('category').$type<Localized>().notNull(),
    address: jsonb('address').$type<Localized>().notNull(),
    about: jsonb('about').$type<Localized>().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    /** The characters and pairs of characters of the searched texts. The migration creates the function. */
    index('merchants_grams').using(
      'gin',
      sql`merchant_grams(${table.name}, ${table.category}, ${table.address})`,
    ),
  ],
);

/** Numbers the changes of coupons. */
export const couponChanges = pgSequence('coupon_changes');
/** The number of the next change. */
export const nextCouponChange = sql.raw(`nextval('${couponChanges.seqName}')`);

export const coupons = pgTable(
  'coupons',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id')
      .notNull()
      .references(() => merchants.id),
    kind: couponKind('kind').notNull(),
    title: jsonb('title').$type<Localized>().notNull(),
    faceValueCents: integer('face_value_cents').notNull(),
    priceCents: integer('price_cents').notNull(),
    /** Null for a claim. */
    stock: integer('stock'),
    /** Number of orders that are neither cancelled nor expired. It is in this row, so that one row lock guards the stock. */
    sold: integer('sold').notNull().default(0),
    startsAt: instant('starts_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    /** Incremented by each rebuild of the gate. The ledger accepts entries of the newest generation only. */
    generation: integer('generation').notNull().default(0),
    /** Incremented by each change of an operator. The gate applies each change once. */
    revision: integer('revision').notNull().default(0),
    /** The highest sequence of this generation in the ledger. A gate with a lower one is stale. */
    gateSequence: bigint('gate_sequence', { mode: 'number' }).notNull().default(0),
    /** Instant at which a node last leased the rebuild. Other nodes wait for it. */
    gateLeasedAt: instant('gate_claimed_at'),
    soldOutAt: instant('sold_out_at'),
    /** Time to pay an order after its confirmation. */
    holdMs: integer('hold_ms').notNull().default(900_000),
    /** Demo: the round within the series, and the instant at which the next one opened. Without a series there is none. */
    round: integer('round').notNull().default(1),
    series: text('series'),
    nextRoundAt: instant('next_round_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Number of the last change by an operator, or of the insertion. The highest one is the version of the list. */
    change: bigint('change', { mode: 'number' }).notNull().default(nextCouponChange),
    /** Instant of the insertion, of the last change by an operator, or of the start of the last rebuild of the gate. */
    gateChangedAt: instant('gate_changed_at').notNull().defaultNow(),
    /** Instant before an order of it last became a dead letter. */
    deadLetterAt: instant('dead_letter_at'),
  },
  (table) => [
    index('coupons_merchant').on(table.merchantId, table.endsAt, table.id),
    index('coupons_ends_at').on(table.endsAt, table.id),
    index('coupons_starts_at').on(table.startsAt, table.id),
    index('coupons_sold_out').on(table.endsAt, table.id).where(sql`${table.soldOutAt} is not null`),
    index('coupons_created_at').on(table.createdAt, table.id),
    index('coupons_change').on(table.change),
    index('coupons_gate_changed_at').on(table.gateChangedAt),
    index('coupons_dead_letter_at').on(table.deadLetterAt).where(sql`${table.deadLetterAt} is not null`),
    index('coupons_without_next_round')
      .on(table.series)
      .where(sql`${table.series} is not null and ${table.nextRoundAt} is null`),
    uniqueIndex('coupons_series_round').on(table.series, table.round),
    check(
      'coupons_sold_within_stock',
      sql`${table.sold} >= 0 and (${table.stock} is null or ${table.sold} <= ${table.stock})`,
    ),
    check('coupons_stock_by_kind', sql`(${table.kind} = 'seckill') = (${table.stock} is not null)`),
    check('coupons_prices', sql`${table.faceValueCents} > 0 and ${table.priceCents} >= 0`),
    check('coupons_period', sql`${table.startsAt} < ${table.endsAt}`),
    check('coupons_hold', sql`${table.holdMs} > 0`),
  ],
);

export const orders = pgTable(
  'orders',
  {
    id: text('id').primaryKey(),
    couponId: text('coupon_id')
      .notNull()
      .references(() => coupons.id),
    /** No foreign key: the session proves the shopper, and one invalid row must not fail a whole batch. */
    userId: text('user_id').notNull(),
    status: orderStatus('status').notNull(),
    /** A seckill allows one open order per shopper, a claim any number. */
    onePerShopper: boolean('one_per_shopper').notNull(),
    /** The code that the shopper shows to the merchant. */
    code: text('code').notNull(),
    /** Request id of the purchase, so that a repeated call finds the order even if the gate was lost. */
    requestId: text('request_id'),
    createdAt: instant('created_at').notNull(),
    confirmedAt: instant('confirmed_at'),
    holdUntil: instant('hold_until'),
    /** For a cancelled or expired order whose stock is not back in the gate: the generation of that gate. Else null. */
    compensationGeneration: integer('gate_owed'),
  },
  (table) => [
    uniqueIndex('orders_one_open_per_shopper')
      .on(table.couponId, table.userId)
      .where(sql`${table.onePerShopper} and ${table.status} in ('confirmed', 'paid')`),
    uniqueIndex('orders_request').on(table.couponId, table.userId, table.requestId),
    index('orders_of_user').on(table.userId, table.createdAt),
    /** The condition, true for every order, keeps the planner from finding a shopper's few orders by this index. */
    index('orders_newest').on(table.createdAt).where(sql`${table.code} <> ''`),
    index('orders_of_coupon').on(table.couponId, table.createdAt),
    index('orders_ended')
      .on(table.status, table.createdAt)
      .where(sql`${table.status} in ('cancelled', 'expired')`),
    index('orders_held').on(table.holdUntil).where(sql`${table.status} = 'confirmed'`),
    index('orders_gate_owed').on(table.couponId).where(sql`${table.compensationGeneration} is not null`),
  ],
);

/**
 * Payment attempts. The row is written before the request to the provider, so that every charge has a row. Its id is the
 * provider's idempotency key.
 */
export const payments = pgTable(
  'payments',
  {
    id: text('id').primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    amountCents: integer('amount_cents').notNull(),
    /** Payment method at the provider. */
    method: text('method').notNull(),
    /**
     * `approved`: it paid the order. `refund-due`: the money was taken, but bought nothing. `refunded`: the provider or a
     * person sent the money back. The audit log names the person.
     */
    status: paymentStatus('status').notNull().default('pending'),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Instant from which any node may query the provider for the result of a pending attempt. */
    nextQueryAt: instant('ask_again_at').notNull(),
    settledAt: instant('settled_at'),
    /** For a due refund: the instant of the next request to the provider. Null: a person sends the refund. */
    refundAgainAt: instant('refund_again_at'),
    /** Number of refund requests to the provider. */
    refundAttempts: integer('refund_attempts').notNull().default(0),
  },
  (table) => [
    index('payments_of_order').on(table.orderId, table.createdAt),
    /** Prevents that two concurrent attempts of one order are both approved. */
    uniqueIndex('payments_one_open_per_order')
      .on(table.orderId)
      .where(sql`${table.status} in ('pending', 'approved')`),
    index('payments_pending').on(table.nextQueryAt).where(sql`${table.status} = 'pending'`),
    index('payments_refund_due').on(table.settledAt).where(sql`${table.status} = 'refund-due'`),
  ],
);

/** Request ids of calls that changed an order, and the answer for a repeated call. Kept for a day. */
export const orderRequests = pgTable(
  'order_requests',
  {
    userId: text('user_id').notNull(),
    /** Name of the procedure, such as `order.pay`. */
    procedure: text('procedure').notNull(),
    requestId: text('request_id').notNull(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    /** The attempt that the call created or joined; null without a payment. */
    paymentId: text('payment_id').references(() => payments.id),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.procedure, table.requestId] }),
    index('order_requests_created_at').on(table.createdAt),
  ],
);

/** Actions of operators. A row is inserted in the transaction of its action, and never changed. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    changedAt: instant('changed_at').notNull().defaultNow(),
    who: text('who').notNull(),
    /** Name of the procedure, such as `limit.update`. */
    what: text('what').notNull(),
    /** The changed object, such as `coupon.claim:user`. */
    target: text('target').notNull(),
    before: jsonb('before').notNull(),
    after: jsonb('after').notNull(),
    why: text('why'),
  },
  (table) => [index('audit_log_changed_at').on(table.changedAt)],
);

/** Selects the transaction's start by Postgres's clock, in epoch ms. */
export const transactionStartMs = sql<string>`floor(extract(epoch from now()) * 1000)::text`;

/** Selects the rows after a cursor, in a list that begins with the newest row. */
export function isAfterCursor(
  cursor: readonly [createdAt: number, id: string] | undefined,
  { createdAt, id }: { createdAt: PgColumn; id: PgColumn },
): SQL | undefined {
  return cursor && sql`(${createdAt}, ${id}) < (to_timestamp(${cursor[0]} / 1000.0), ${cursor[1]})`;
}
