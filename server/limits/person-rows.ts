import { and, desc, eq, gt, isNull, lt, or, sql } from 'drizzle-orm';
import type { Db } from '../db/client';
import { limitPersonLifts as lifts, limitPersonOverrides as persons } from '../db/limit-schema';
import { auditLog, users } from '../db/schema';
import { AppError, notFoundError } from '../errors';
import type { PersonChange, PersonOverride, PersonRule } from '../limiter/index';
import { encodeCursor } from '../trpc/inputs';
import { incrementVersion } from './override-rows';

/** An override for one subject of a level, as operators see it. */
export interface ListedPerson {
  personId: number;
  policy: string;
  level: string;
  /** The pseudonym of the subject, which `ops.explain` takes, or the range of addresses. */
  ref: string;
  /** Masked; a range of addresses is shown as it is. */
  subject: string;
  rule: PersonRule;
  why: string;
  /** Id of the user who set it. */
  who: string;
  /** Absent if the user no longer exists. */
  whoName?: string;
  /** Epoch ms. */
  changedAt: number;
}

export interface PersonPage {
  persons: ListedPerson[];
  /** Absent on the last page. */
  nextCursor?: string;
}

/** Every node holds all overrides in memory, about 300 bytes each. */
export const MAX_PERSONS = 10_000;

/** About 55 kB with the longest reasons. */
const PAGE_SIZE = 60;

/** Reads the rules of all subjects, also denials that have ended. */
export async function readPersonOverrides(db: Db): Promise<PersonOverride[]> {
  const rows = await db.select(ruleColumns).from(persons);
  return rows.map(({ policy, level, ref, ...row }) => ({ policy, level, ref, rule: toRule(row) }));
}

/** A level, and the version from which on changes are read. */
export interface ReadLevel {
  policy: string;
  level: string;
  since: number;
}

/** A node that was disconnected for longer reads all rules. */
export const MAX_LIFT_AGE_MS = 60 * 60 * 1000;

/** Reads the rules of subjects that changed after a version of their level. One that was lifted has no rule. */
export async function readPersonChanges(db: Db, levels: readonly ReadLevel[]): Promise<PersonChange[]> {
  if (levels.length === 0) return [];
  const isOf = (table: typeof persons | typeof lifts, { policy, level }: ReadLevel) =>
    and(eq(table.policy, policy), eq(table.level, level));
  const liftedRows = await db
    .select({ policy: lifts.policy, level: lifts.level, ref: lifts.ref })
    .from(lifts)
    .where(or(...levels.map((one) => and(isOf(lifts, one), gt(lifts.version, one.since)))));
  // Read second: a rule that is set again has a row here, which goes before its former lift.
  const rows = await db
    .select(ruleColumns)
    .from(persons)
    .where(
      or(
        ...levels.map((one) =>
          and(isOf(persons, one), or(isNull(persons.version), gt(persons.version, one.since))),
        ),
      ),
    );
  return [
    ...liftedRows.map((row) => ({ ...row, rule: undefined })),
    ...rows.map(({ policy, level, ref, ...row }) => ({ policy, level, ref, rule: toRule(row) })),
  ];
}

/** Lists the overrides for subjects, newest first, without denials that have ended. */
export async function listPersons(
  db: Db,
  { cursor }: { cursor?: [id: number] | undefined } = {},
): Promise<PersonPage> {
  const rows = await db
    .select({ person: persons, whoName: users.name })
    .from(persons)
    .leftJoin(users, eq(users.id, persons.who))
    .where(
      and(cursor && lt(persons.id, cursor[0]), sql`${persons.until} is null or ${persons.until} > now()`),
    )
    .orderBy(desc(persons.id))
    .limit(PAGE_SIZE + 1);
  const page = rows.slice(0, PAGE_SIZE);
  const last = page.at(-1)?.person;
  return {
    persons: page.map(({ person, whoName }) => toListedPerson(person, whoName)),
    ...(rows.length > PAGE_SIZE && last && { nextCursor: encodeCursor([last.id]) }),
  };
}

/** A new rule for one subject. */
export interface NewPersonRule extends PersonOverride {
  /** Masked, or the range of addresses. */
  subject: string;
  /** Id of the user who sets it. */
  who: string;
  why: string;
}

/**
 * Sets the rule of a subject in place of an earlier one, and writes the audit log, in one transaction. Deletes denials that
 * have ended. Throws BAD_REQUEST beyond `MAX_PERSONS`.
 */
export function setPerson(db: Db, { rule, ...change }: NewPersonRule): Promise<ListedPerson> {
  const { policy, level, ref, subject, who, why } = change;
  return db.transaction(async (tx) => {
    const version = await incrementVersion(tx, { policy, level, who });
    // Two operators could otherwise exceed the maximum together.
    await tx.execute(sql`lock table ${persons} in share row exclusive mode`);
    await tx.delete(persons).where(sql`${persons.until} <= now()`);
    const isThis = and(eq(persons.policy, policy), eq(persons.level, level), eq(persons.ref, ref));
    const [before] = await tx.select().from(persons).where(isThis);
    if (!before && (await tx.$count(persons)) >= MAX_PERSONS) throw tooMany();

    const values = { ...change, ...toColumns(rule), version, changedAt: sql`now()` };
    const [row] = await tx
      .insert(persons)
      .values(values)
      .onConflictDoUpdate({ target: [persons.policy, persons.level, persons.ref], set: values })
      .returning();
    if (!row) throw new Error(`Postgres returned no override for a subject of ${policy}:${level}`);
    await tx.insert(auditLog).values({
      ...{ who, what: 'limit.person.set', target: `${policy}:${level}:${subject}`, why },
      before: before ? auditedFields(before) : {},
      after: auditedFields(row),
    });
    return toListedPerson(row, null);
  });
}

/** Lifts an override and writes the audit log, in one transaction. Throws NOT_FOUND if it does not exist. */
export function liftPerson(db: Db, { personId, who }: { personId: number; who: string }): Promise<void> {
  return db.transaction(async (tx) => {
    const isThis = eq(persons.id, personId);
    const [found] = await tx.select().from(persons).where(isThis);
    // The lock of the level comes before that of the row, as in `setPerson`, so that the two cannot deadlock.
    const version = found && (await incrementVersion(tx, { ...found, who }));
    const [row] = await tx.delete(persons).where(isThis).returning();
    if (!row || version === undefined) throw notFoundError('override', String(personId));
    const { policy, level, ref, subject } = row;
    await tx.delete(lifts).where(sql`${lifts.liftedAt} < now() - interval '1 day'`);
    await tx
      .insert(lifts)
      .values({ policy, level, ref, version })
      .onConflictDoUpdate({
        target: [lifts.policy, lifts.level, lifts.ref],
        set: { version, liftedAt: sql`now()` },
      });
    await tx.insert(auditLog).values({
      ...{ who, what: 'limit.person.lift', target: `${policy}:${level}:${subject}` },
      before: auditedFields(row),
      after: {},
    });
  });
}

function tooMany(): AppError {
  const text = `There are ${MAX_PERSONS} overrides already. Lift one first.`;
  return new AppError('BAD_REQUEST', text, {
    problem: { field: '', code: 'too-big', most: MAX_PERSONS, text },
  });
}

const ruleColumns = {
  policy: persons.policy,
  level: persons.level,
  ref: persons.ref,
  kind: persons.kind,
  limit: persons.limit,
  windowMs: persons.windowMs,
  until: persons.until,
};

type Row = typeof persons.$inferSelect;

function toRule({
  kind,
  limit,
  windowMs,
  until,
}: Pick<Row, 'kind' | 'limit' | 'windowMs' | 'until'>): PersonRule {
  switch (kind) {
    case 'numbers':
      return { kind, ...(limit !== null && { limit }), ...(windowMs !== null && { windowMs }) };
    case 'exempt':
      return { kind };
    case 'deny':
      return { kind, until: until?.getTime() ?? 0 };
  }
}

function toColumns(rule: PersonRule): Pick<Row, 'kind' | 'limit' | 'windowMs' | 'until'> {
  const { limit = null, windowMs = null } = rule.kind === 'numbers' ? rule : {};
  return { kind: rule.kind, limit, windowMs, until: rule.kind === 'deny' ? new Date(rule.until) : null };
}

function toListedPerson(row: Row, whoName: string | null): ListedPerson {
  const { id, policy, level, ref, subject, who, why, changedAt } = row;
  return {
    ...{ personId: id, policy, level, ref, subject, rule: toRule(row), why, who },
    ...(whoName !== null && { whoName }),
    changedAt: changedAt.getTime(),
  };
}

/** Returns the rule for the audit log, which has the policy, the level and the masked subject in `target`. */
function auditedFields(row: Row): Record<string, unknown> {
  const rule = toRule(row);
  return rule.kind === 'deny' ? { kind: rule.kind, endsAt: rule.until } : { ...rule };
}
