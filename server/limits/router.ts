import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import type { Db } from '../db/client';
import { type Ban, InvalidSubjectError, type Limiter, unlimited } from '../limiter';
import { router } from '../trpc/init';
import { idInput, plainText } from '../trpc/plain-text';
import { adminProcedure, publicProcedure } from '../trpc/procedures';
import type { Catalogue } from './catalogue';
import { clearWindow } from './clear-window';
import { countedSubject } from './counted-subject';
import { levelOf } from './level-of';
import { liftBan } from './lift-ban';
import { type ListedLevel, listedLevel, underOverride } from './listed-level';
import type { Tuning } from './tuning';
import { ownWindows, ownWindowsOf, type Windows } from './windows';

export interface LimitVerbs {
  /** For the record of who lifted a ban or emptied a window. */
  db: Db;
  limiter: Pick<Limiter, 'effective' | 'bans' | 'clear'>;
  tuning: Pick<Tuning, 'update' | 'reset' | 'spread'>;
  /** An address as the levels `ip` count it; `undefined` for a text that is none. */
  addressOf: (text: string) => string | undefined;
}

type Dependencies = LimitVerbs & { catalogue: Catalogue };

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
  // A client that joins calls by hand sends null for a call without an input.
  .nullish()
  .transform((input) => input ?? {});

const levelInput = z.object({ policy: idInput, level: idInput });

const updateInput = levelInput
  .extend({
    // What a policy can be is the limiter's to say.
    limit: z.number().optional(),
    windowMs: z.number().optional(),
    mode: z.enum(['enforce', 'shadow', 'off']).optional(),
    why: plainText({ max: 200 }).optional(),
  })
  .refine(
    ({ limit, windowMs, mode }) => limit !== undefined || windowMs !== undefined || mode !== undefined,
    'give a limit, a windowMs or a mode to change',
  );

const clearInput = levelInput.extend({ subject: z.string().min(1).max(1_000).optional() });

export function createLimitRouter({ db, limiter, tuning, catalogue, addressOf }: Dependencies) {
  return router({
    mine: publicProcedure
      .use(unlimited)
      .input(mineInput)
      .query(async ({ ctx, input: { policy, input } }): Promise<Windows> => {
        const { limiter: reader, caller } = ctx.rateLimit;
        if (policy === undefined) return ownWindows({ limiter: reader, catalogue, caller });
        try {
          return await ownWindowsOf({ limiter: reader, catalogue, context: ctx }, { policy, input });
        } catch (cause) {
          if (!(cause instanceof InvalidSubjectError)) throw cause;
          throw new TRPCError({ code: 'BAD_REQUEST', message: cause.message, cause });
        }
      }),

    list: adminProcedure.use(unlimited).query((): { policies: ListedPolicy[] } => ({
      policies: catalogue.map((policy) => {
        const inForce = limiter.effective(policy).levels;
        const levels = policy.levels.map((declared, place) =>
          listedLevel(policy, declared, inForce[place] ?? { ...declared, version: 0 }),
        );
        return { policy: policy.name, levels };
      }),
    })),

    update: adminProcedure
      .use(unlimited)
      .input(updateInput)
      .mutation(async ({ ctx, input }): Promise<{ level: ListedLevel }> => {
        const { policy, declared } = levelOf(catalogue, input);
        const { level, why, limit, windowMs, mode } = input;
        const change = { limit, windowMs, mode };
        const override = await tuning.update({ policy, level, change, who: ctx.user.id, why });
        return { level: listedLevel(policy, declared, underOverride(declared, override)) };
      }),

    reset: adminProcedure
      .use(unlimited)
      .input(levelInput)
      .mutation(async ({ ctx, input }): Promise<{ level: ListedLevel }> => {
        const { policy, declared } = levelOf(catalogue, input);
        const override = await tuning.reset({ policy, level: input.level, who: ctx.user.id });
        return { level: listedLevel(policy, declared, underOverride(declared, override)) };
      }),

    clear: adminProcedure
      .use(unlimited)
      .input(clearInput)
      .mutation(async ({ ctx, input }): Promise<Record<string, never>> => {
        const level = levelOf(catalogue, input);
        const subject = await countedSubject(level, input.subject, { addressOf });
        await clearWindow({ db, limiter, tuning }, { ...level, subject, who: ctx.user.id });
        return {};
      }),
  });
}

const banInput = z.object({ banId: z.string().min(1).max(1_000) });

export function createBanRouter({ db, limiter, catalogue }: Dependencies) {
  return router({
    list: adminProcedure.use(unlimited).query(async (): Promise<{ bans: Ban[] }> => {
      const bans = await Promise.all(catalogue.map((policy) => limiter.bans.list(policy)));
      return { bans: bans.flat() };
    }),

    lift: adminProcedure
      .use(unlimited)
      .input(banInput)
      .mutation(async ({ ctx, input: { banId } }): Promise<Record<string, never>> => {
        await liftBan({ db, bans: limiter.bans, catalogue }, { banId, who: ctx.user.id });
        return {};
      }),
  });
}
