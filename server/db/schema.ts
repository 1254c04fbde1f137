import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

/** A text in every language of the product: `Localized`, which this layer may not import. */
type Localized = Readonly<Record<'en' | 'zh', string>>;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });

export const userRole = pgEnum('user_role', ['shopper', 'admin']);
export const couponKind = pgEnum('coupon_kind', ['seckill', 'claim']);
export const limitMode = pgEnum('limit_mode', ['enforce', 'shadow', 'off']);
export const orderStatus = pgEnum('order_status', ['confirmed', 'paid', 'cancelled', 'expired']);
export const paymentStatus = pgEnum('payment_status', [
  'pending',
  'approved',
  'declined',
  'refund-due',
  'refunded',
]);

/** Values that all nodes share and that none may choose for itself, such as the key of the subjects' HMACs. */
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
    /** Demo identities: the same name is the same shopper. */
    isDemo: boolean('is_demo').notNull().default(false),
    /** Raised by signing out. A session cookie of a lower version is revoked. */
    sessionVersion: integer('session_version').notNull().default(0),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('users_email').on(table.email),
    uniqueIndex('users_demo_name').on(table.name).where(sql`${table.isDemo}`),
  ],
);

/**
 * Codes that were asked for and are not yet redeemed. Hashes only: who reads this table learns neither whose codes they
 * are nor what they are.
 */
export const signInCodes = pgTable('sign_in_codes', {
  /** Of the e-mail and of the browser that asked. */
  requestHash: text('request_hash').primaryKey(),
  codeHash: text('code_hash').notNull(),
  expiresAt: instant('expires_at').notNull(),
});

export const merchants = pgTable('merchants', {
  id: text('id').primaryKey(),
  name: jsonb('name').$type<Localized>().notNull(),
  category: jsonb('category').$type<Localized>().notNull(),
  address: jsonb('address').$type<Localized>().notNull(),
  about: jsonb('about').$type<Localized>().notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});

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
    /** Null for a claim, which has none. */
    stock: integer('stock'),
    /** Orders that are neither cancelled nor expired; counted here so that one row lock guards the stock. */
    sold: integer('sold').notNull().default(0),
    startsAt: instant('starts_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    /** Raised by each rebuild of the gate; the ledger takes entries of the newest generation only. */
    generation: integer('generation').notNull().default(0),
    /** Raised by each change of an operator; the gate takes each change once. */
    revision: integer('revision').notNull().default(0),
    /** The highest sequence of this generation that the ledger has written: a gate that has a lower one is stale. */
    gateSequence: bigint('gate_sequence', { mode: 'number' }).notNull().default(0),
    /** When a node last took the rebuild; others leave it alone for a moment. */
    gateClaimedAt: instant('gate_claimed_at'),
    soldOutAt: instant('sold_out_at'),
    /** How long an order is held unpaid after its confirmation. */
    holdMs: integer('hold_ms').notNull().default(900_000),
    /** Demo: which round of its series this is, and when the next one was opened. */
    round: integer('round').notNull().default(1),
    series: text('series'),
    nextRoundAt: instant('next_round_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('coupons_merchant').on(table.merchantId),
    index('coupons_ends_at').on(table.endsAt),
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
    /** No foreign key: the session vouches for the shopper, and one stray row must not fail a whole batch. */
    userId: text('user_id').notNull(),
    status: orderStatus('status').notNull(),
    /** A seckill allows one open order per shopper, a claim any number. */
    onePerShopper: boolean('one_per_shopper').notNull(),
    /** What the shopper shows at the till. */
    code: text('code').notNull(),
    /** Of the call that bought it, so that a repeated call finds it even after the gate was lost. */
    requestId: text('request_id'),
    createdAt: instant('created_at').notNull(),
    confirmedAt: instant('confirmed_at'),
    holdUntil: instant('hold_until'),
    /**
     * Of a cancelled or expired order: the generation of the gate that has yet to be given its stock back. Null where
     * nothing is owed.
     */
    gateOwed: integer('gate_owed'),
  },
  (table) => [
    uniqueIndex('orders_one_open_per_shopper')
      .on(table.couponId, table.userId)
      .where(sql`${table.onePerShopper} and ${table.status} in ('confirmed', 'paid')`),
    uniqueIndex('orders_request').on(table.couponId, table.userId, table.requestId),
    index('orders_of_user').on(table.userId, table.createdAt),
    index('orders_held').on(table.holdUntil).where(sql`${table.status} = 'confirmed'`),
    index('orders_gate_owed').on(table.couponId).where(sql`${table.gateOwed} is not null`),
  ],
);

/**
 * Attempts to pay. A row is written before the provider is asked, so that no charge is unknown here; its id is the key
 * by which the provider takes a repeated question for the same one.
 */
export const payments = pgTable(
  'payments',
  {
    id: text('id').primaryKey(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    amountCents: integer('amount_cents').notNull(),
    /** What the provider takes the money from. */
    method: text('method').notNull(),
    /**
     * `approved`: its order is paid by it. `refund-due`: the money was taken and buys nothing. `refunded`: it was sent
     * back, by the provider or by a person, whom the audit log names.
     */
    status: paymentStatus('status').notNull().default('pending'),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** From when on any node may ask the provider what became of a pending one. */
    askAgainAt: instant('ask_again_at').notNull(),
    settledAt: instant('settled_at'),
    /** Of a due refund: from when on any node asks the provider for it. Null: a person sends it. */
    refundAgainAt: instant('refund_again_at'),
    /** How often the provider was asked for the refund. */
    refundAttempts: integer('refund_attempts').notNull().default(0),
  },
  (table) => [
    index('payments_of_order').on(table.orderId, table.createdAt),
    /** Two attempts of one order at once could both be approved. */
    uniqueIndex('payments_one_open_per_order')
      .on(table.orderId)
      .where(sql`${table.status} in ('pending', 'approved')`),
    index('payments_pending').on(table.askAgainAt).where(sql`${table.status} = 'pending'`),
    index('payments_refund_due').on(table.settledAt).where(sql`${table.status} = 'refund-due'`),
  ],
);

/** Request ids of calls that changed an order, and what a repeated call is answered by. Kept for a day. */
export const orderRequests = pgTable(
  'order_requests',
  {
    userId: text('user_id').notNull(),
    /** The procedure, as in `order.pay`. */
    procedure: text('procedure').notNull(),
    requestId: text('request_id').notNull(),
    orderId: text('order_id')
      .notNull()
      .references(() => orders.id),
    /** The attempt that the call made or joined; null where it paid nothing. */
    paymentId: text('payment_id').references(() => payments.id),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.procedure, table.requestId] }),
    index('order_requests_created_at').on(table.createdAt),
  ],
);

/**
 * What operators have changed of the limits that the policies declare; null stays as declared. A row outlives its
 * reset, so that the version of a level never comes back.
 */
export const limitOverrides = pgTable(
  'limit_overrides',
  {
    policy: text('policy').notNull(),
    level: text('level').notNull(),
    limit: integer('limit'),
    windowMs: bigint('window_ms', { mode: 'number' }),
    mode: limitMode('mode'),
    /** Raised by each change; the sum over all rows tells whether anything has changed. */
    version: integer('version').notNull(),
    /** The user who changed it last. No foreign key: the session vouches for them. */
    who: text('who').notNull(),
    why: text('why'),
    changedAt: instant('changed_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.policy, table.level] })],
);

/** What operators did. Rows are added together with what they tell of, and never changed. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    changedAt: instant('changed_at').notNull().defaultNow(),
    who: text('who').notNull(),
    /** The procedure, as in `limit.update`. */
    what: text('what').notNull(),
    /** What it was done to, as in `coupon.claim:user`. */
    target: text('target').notNull(),
    before: jsonb('before').notNull(),
    after: jsonb('after').notNull(),
    why: text('why'),
  },
  (table) => [index('audit_log_changed_at').on(table.changedAt)],
);
