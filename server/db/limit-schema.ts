import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgEnum,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import { instant } from './schema';

export const limitMode = pgEnum('limit_mode', ['enforce', 'shadow', 'off', 'block']);
export const personRule = pgEnum('person_rule', ['numbers', 'exempt', 'deny']);

/**
 * Overrides of the declared limits by operators. Null keeps the declared value. A reset keeps the row, so that no version
 * of a level is used twice.
 */
export const limitOverrides = pgTable(
  'limit_overrides',
  {
    policy: text('policy').notNull(),
    level: text('level').notNull(),
    limit: integer('limit'),
    windowMs: bigint('window_ms', { mode: 'number' }),
    mode: limitMode('mode'),
    queueClosed: boolean('queue_closed').notNull().default(false),
    /** Incremented by each change. Nodes detect a change by the sum of all rows. */
    version: integer('version').notNull(),
    /** Id of the user who changed it last. No foreign key: the session proves the user. */
    who: text('who').notNull(),
    why: text('why'),
    changedAt: instant('changed_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.policy, table.level] })],
);

/**
 * Overrides of one subject of a level, at most 10,000. A subject is stored as its pseudonym, because it is personal data.
 * Each change increments the version of the level in `limit_overrides`, by which nodes detect it.
 */
export const limitPersonOverrides = pgTable(
  'limit_person_overrides',
  {
    id: bigint('id', { mode: 'number' }).notNull().unique().generatedAlwaysAsIdentity(),
    policy: text('policy').notNull(),
    level: text('level').notNull(),
    /** The pseudonym; `subject` is the mask. Of a range of addresses, both are the range. */
    ref: text('ref').notNull(),
    subject: text('subject').notNull(),
    kind: personRule('kind').notNull(),
    limit: integer('limit'),
    windowMs: bigint('window_ms', { mode: 'number' }),
    /** End of a denial. */
    until: instant('until'),
    who: text('who').notNull(),
    why: text('why').notNull(),
    changedAt: instant('changed_at').notNull().defaultNow(),
    /** The version of the level that the last change of this row made. Null if a release without versions inserted the row. */
    version: integer('version'),
  },
  (table) => [
    primaryKey({ columns: [table.policy, table.level, table.ref] }),
    index('limit_person_overrides_version').on(table.policy, table.level, table.version),
    index('limit_person_overrides_until').on(table.until).where(sql`${table.until} is not null`),
    check('limit_person_overrides_until', sql`(${table.kind} = 'deny') = (${table.until} is not null)`),
  ],
);

/** Overrides of one subject that were lifted in the last day, so that nodes need not read all others to detect it. */
export const limitPersonLifts = pgTable(
  'limit_person_lifts',
  {
    policy: text('policy').notNull(),
    level: text('level').notNull(),
    ref: text('ref').notNull(),
    /** The version of the level that the last lift made. */
    version: integer('version').notNull(),
    liftedAt: instant('lifted_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.policy, table.level, table.ref] })],
);
