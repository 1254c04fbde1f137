import { z } from 'zod';
import type { Db } from '../db/client';
import { AppError } from '../errors';
import { unlimited } from '../limiter/adapters/trpc';
import { applyOverride, type Limiter, type PersonRule } from '../limiter/index';
import { cursorInput, idInput, plainText } from '../trpc/inputs';
import { adminProcedure, router } from '../trpc/procedures';
import { checkOverride, type FleetOverrides } from './fleet-overrides';
import { type NamedSubjectOptions, parsePerson } from './parse-subject';
import { type ListedPerson, liftPerson, listPersons, type PersonPage, setPerson } from './person-rows';
import { findLevel, type NamedLevel, type PolicyRegistry } from './policy-registry';

export interface PersonDependencies extends Omit<NamedSubjectOptions, 'pseudonymOf'> {
  db: Db;
  limiter: Pick<Limiter, 'pseudonymOf'>;
  overrides: Pick<FleetOverrides, 'publishOverrides'>;
  /** Called when a subject is denied, with its pseudonym. */
  onDenied: (denied: { policy: string; level: string; ref: string }) => Promise<void>;
}

const ruleInput = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: z.literal('numbers'),
      // The limiter validates the values.
      limit: z.number().optional(),
      windowMs: z.number().optional(),
    })
    .refine(
      ({ limit, windowMs }) => limit !== undefined || windowMs !== undefined,
      'give a limit or a windowMs',
    ),
  z.strictObject({ kind: z.literal('exempt') }),
  z.strictObject({ kind: z.literal('deny'), until: z.number() }),
]);

/** The masked subject that `/ops` shows next to the `ref` of a subject. */
export const maskInput = plainText({ min: 1, max: 20 }).optional();

const setInput = z.object({
  policy: idInput,
  level: idInput,
  subject: z.string().trim().min(1).max(1_000),
  mask: maskInput,
  rule: ruleInput,
  why: plainText({ min: 1, max: 200 }),
});

/** The procedures that set, list and lift overrides for one subject of a level. For admins only. */
export function createPersonRouter({
  db,
  limiter,
  overrides,
  policies,
  onDenied,
  ...parsing
}: PersonDependencies & { policies: PolicyRegistry }) {
  const pseudonymOf = (subject: string) => limiter.pseudonymOf(subject);
  return router({
    set: adminProcedure
      .use(unlimited)
      .input(setInput)
      .mutation(async ({ ctx, input }): Promise<{ person: ListedPerson }> => {
        const { policy, level, rule, why } = input;
        const named = findLevel(policies, input);
        checkRule(named, rule);
        const subject = await parsePerson(named, input, { ...parsing, pseudonymOf });
        const person = await setPerson(db, { ...{ policy, level, rule, why }, ...subject, who: ctx.user.id });
        await overrides.publishOverrides();
        if (rule.kind === 'deny') await onDenied({ policy, level, ref: subject.ref });
        return { person };
      }),

    list: adminProcedure
      .use(unlimited)
      .input(z.object({ cursor: cursorInput(z.tuple([z.int()])) }))
      .query(({ input: { cursor } }): Promise<PersonPage> => listPersons(db, { cursor })),

    lift: adminProcedure
      .use(unlimited)
      .input(z.object({ personId: z.int() }))
      .mutation(async ({ ctx, input: { personId } }): Promise<Record<string, never>> => {
        await liftPerson(db, { personId, who: ctx.user.id });
        await overrides.publishOverrides();
        return {};
      }),
  });
}

const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** Throws BAD_REQUEST for numbers that the level cannot have, and for a denial that ends in the past or after a year. */
function checkRule({ policy, declared }: NamedLevel, rule: PersonRule): void {
  if (rule.kind === 'numbers') checkOverride(policy, applyOverride(declared, rule));
  if (rule.kind !== 'deny') return;
  const least = Date.now();
  const most = least + YEAR_MS;
  if (Number.isInteger(rule.until) && rule.until > least && rule.until <= most) return;
  const text = 'Use an instant in epoch ms, from now to a year from now.';
  throw new AppError('BAD_REQUEST', `until: ${text}`, {
    problem: { field: 'until', code: 'invalid', text },
  });
}
