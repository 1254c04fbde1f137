import { z } from 'zod';
import type { Db } from '../db/client';
import { auditLog } from '../db/schema';
import { AppError } from '../errors';
import { rateLimit, unlimited } from '../limiter/adapters/trpc';
import { type Ban, type Limiter, MODES } from '../limiter/index';
import { policies as declaredPolicies } from '../policies';
import { cursorInput, encodeCursor, idInput, plainText } from '../trpc/inputs';
import { adminProcedure, publicProcedure, router } from '../trpc/procedures';
import { clearWindowOnAllNodes } from './clear-window-on-all-nodes';
import type { FleetOverrides } from './fleet-overrides';
import { type ListedLevel, toListedLevel, toOverriddenLevel } from './levels';
import { maskOf, parseSubject } from './parse-subject';
import { createPersonRouter, maskInput, type PersonDependencies } from './person-router';
import { findLevel, levelInput, type PolicyRegistry } from './policy-registry';
import { peekOwnWindows, peekPolicyWindows, type WindowsAnswer } from './windows';

export interface LimitDependencies extends PersonDependencies {
  /** Holds the audit log. */
  db: Db;
  limiter: Pick<Limiter, 'effectivePolicy' | 'bans' | 'clear' | 'pseudonymOf'>;
  overrides: Pick<FleetOverrides, 'setOverride' | 'resetOverride' | 'switchQueue' | 'publishOverrides'>;
}

type LimitRouterOptions = LimitDependencies & { policies: PolicyRegistry };

interface ListedPolicy {
  policy: string;
  levels: ListedLevel[];
}

const mineInput = z
  .object({
    policy: idInput.optional(),
    // Each level keyed by input validates its own field.
    input: z.unknown().optional(),
  })
  .refine(({ policy, input }) => policy !== undefined || input === undefined, {
    path: ['policy'],
    message: 'name the policy whose levels count by this input',
  })
  // A client that builds batches by hand sends null for a call without an input.
  .nullish()
  .transform((input) => input ?? {});

const why = plainText({ max: 200 }).optional();

const updateInput = levelInput
  .extend({
    // The limiter validates the values.
    limit: z.number().optional(),
    windowMs: z.number().optional(),
    mode: z.enum(MODES).optional(),
    why,
  })
  .refine(
    ({ limit, windowMs, mode }) => limit !== undefined || windowMs !== undefined || mode !== undefined,
    'give a limit, a windowMs or a mode to change',
  );

const clearInput = levelInput.extend({ subject: z.string().min(1).max(1_000).optional(), mask: maskInput });

/** The procedures of limits: `mine` is public and charges nothing, the others are for admins. */
export function createLimitRouter(options: LimitRouterOptions) {
  const { db, limiter, overrides, policies, normalizeAddress } = options;
  return router({
    person: createPersonRouter(options),

    mine: publicProcedure
      .use(rateLimit(declaredPolicies.ownRead))
      .input(mineInput)
      .query(async ({ ctx, input: { policy, input } }): Promise<WindowsAnswer> => {
        const { limiter: reader } = ctx.rateLimit;
        if (policy === undefined) return peekOwnWindows({ limiter: reader, policies, context: ctx });
        return peekPolicyWindows({ limiter: reader, policies, context: ctx }, { policy, input });
      }),

    list: adminProcedure.use(unlimited).query((): { policies: ListedPolicy[] } => ({
      policies: policies.map((policy) => {
        const effective = limiter.effectivePolicy(policy).levels;
        const levels = policy.levels.map((declared, index) =>
          toListedLevel(policy, declared, effective[index] ?? { ...declared, version: 0 }),
        );
        return { policy: policy.name, levels };
      }),
    })),

    update: adminProcedure
      .use(unlimited)
      .input(updateInput)
      .mutation(async ({ ctx, input }): Promise<{ level: ListedLevel }> => {
        const { policy, declared, sharing } = findLevel(policies, input);
        const { level, why, limit, windowMs, mode } = input;
        const change = { limit, windowMs, mode };
        const override = await overrides.setOverride({
          policy,
          level,
          sharing,
          change,
          who: ctx.user.id,
          why,
        });
        return { level: toOverriddenLevel(policy, declared, override) };
      }),

    reset: adminProcedure
      .use(unlimited)
      .input(levelInput.extend({ why }))
      .mutation(async ({ ctx, input }): Promise<{ level: ListedLevel }> => {
        const { policy, declared } = findLevel(policies, input);
        const { level, why } = input;
        const override = await overrides.resetOverride({ policy, level, who: ctx.user.id, why });
        return { level: toOverriddenLevel(policy, declared, override) };
      }),

    clear: adminProcedure
      .use(unlimited)
      .input(clearInput)
      .mutation(async ({ ctx, input }): Promise<Record<string, never>> => {
        const level = findLevel(policies, input);
        const subject = await parseSubject(level, input.subject, { normalizeAddress });
        const masked = maskOf(subject, input.mask);
        const window = { ...level, subject, masked, who: ctx.user.id };
        await clearWindowOnAllNodes({ db, limiter, overrides }, window);
        return {};
      }),
  });
}

/** About 45 kB. */
const BANS_PER_PAGE = 200;

interface BanPage {
  /** The first to end first. */
  bans: Ban[];
  /** Absent on the last page. */
  nextCursor?: string;
}

const banCursorInput = cursorInput(z.tuple([z.number(), z.string()]));
type BanCursor = z.infer<typeof banCursorInput>;

/** Returns the bans after a cursor, so that a new or ended ban shifts no page. */
function toBanPage(bans: readonly Ban[], cursor: BanCursor): BanPage {
  const [until, banId] = cursor ?? [0, ''];
  const following = bans
    .filter((ban) => ban.bannedUntil > until || (ban.bannedUntil === until && ban.banId > banId))
    .sort((a, b) => a.bannedUntil - b.bannedUntil || (a.banId < b.banId ? -1 : 1));
  const page = following.slice(0, BANS_PER_PAGE);
  const last = page.at(-1);
  const hasMore = following.length > BANS_PER_PAGE;
  return { bans: page, ...(hasMore && last && { nextCursor: encodeCursor([last.bannedUntil, last.banId]) }) };
}

const banInput = z.object({ banId: z.string().min(1).max(1_000), why });

/** The procedures that list and lift the active bans of all policies. For admins only. */
export function createBanRouter({ db, limiter, policies }: LimitRouterOptions) {
  return router({
    list: adminProcedure
      .use(unlimited)
      .input(z.object({ cursor: banCursorInput }).optional())
      .query(async ({ input }): Promise<BanPage> => {
        const bans = await Promise.all(policies.map((policy) => limiter.bans.list(policy)));
        return toBanPage(bans.flat(), input?.cursor);
      }),

    lift: adminProcedure
      .use(unlimited)
      .input(banInput)
      .mutation(async ({ ctx, input }): Promise<Record<string, never>> => {
        await liftBan({ db, limiter, policies }, { ...input, who: ctx.user.id });
        return {};
      }),
  });
}

/**
 * Lifts a ban and writes the audit log. The record is committed after Redis has lifted the ban, so a failed lift leaves
 * no record. A lift whose reply was lost leaves none either. Throws NOT_FOUND if the ban is not active.
 */
async function liftBan(
  { db, limiter, policies }: Pick<LimitRouterOptions, 'db' | 'limiter' | 'policies'>,
  { banId, who, why }: { banId: string; who: string; why?: string | undefined },
): Promise<void> {
  const { bans } = limiter;
  for (const policy of policies) {
    const ban = (await bans.list(policy)).find((one) => one.banId === banId);
    if (!ban) continue;
    const { level, subject, bannedUntil, violations } = ban;
    return db.transaction(async (tx) => {
      await tx.insert(auditLog).values({
        ...{ who, why, what: 'ban.lift', target: `${policy.name}:${level}` },
        before: { subject, bannedUntil, violations },
        after: {},
      });
      if (!(await bans.lift(policy, banId))) throw noSuchBan();
    });
  }
  throw noSuchBan();
}

function noSuchBan(): AppError {
  return new AppError('NOT_FOUND', 'This ban does not exist, or it has ended.');
}

/**
 * The procedures that close a queue for new tickets, and open it. Waiting tickets are served. For admins only. A queue
 * stays closed, also when Redis was emptied.
 */
export function createQueueSwitchRouter({
  overrides,
  policies,
}: Pick<LimitRouterOptions, 'overrides' | 'policies'>) {
  const switchLevel = (isClosed: boolean) =>
    adminProcedure
      .use(unlimited)
      .input(levelInput)
      .mutation(async ({ ctx, input }): Promise<Record<string, never>> => {
        const { policy, declared } = findLevel(policies, input);
        await overrides.switchQueue({ policy, level: declared.level, isClosed, who: ctx.user.id });
        return {};
      });

  return router({ close: switchLevel(true), open: switchLevel(false) });
}
