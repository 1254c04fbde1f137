import { z } from 'zod';
import { rateLimit, unlimited } from '../limiter';
import { policies } from '../policies';
import { router } from '../trpc/init';
import { onlyInDemo } from '../trpc/only-in-demo';
import { plainText } from '../trpc/plain-text';
import { publicProcedure } from '../trpc/procedures';
import type { User } from '../trpc/user';
import type { SignInDemo } from './sign-in-demo';

export interface AuthVerbs {
  /** Whether this is a demo, where anyone may sign in as anyone. */
  demo: boolean;
  signInDemo: SignInDemo;
}

const demoInput = z
  .object({
    name: plainText({ min: 1, max: 40 }).optional(),
    role: z.enum(['shopper', 'admin']).optional(),
  })
  .optional();

export function createAuthRouter({ demo, signInDemo }: AuthVerbs) {
  return router({
    me: publicProcedure.use(unlimited).query(({ ctx }): { user: User | null } => ({ user: ctx.user })),

    signOut: publicProcedure.use(unlimited).mutation(({ ctx }): Record<string, never> => {
      ctx.setSession(null);
      return {};
    }),

    ...onlyInDemo(demo, {
      signInDemo: publicProcedure
        .use(rateLimit(policies.signInDemo))
        .input(demoInput)
        .mutation(async ({ ctx, input }): Promise<{ user: User }> => {
          const user = await signInDemo({ ...input, language: ctx.language });
          ctx.setSession(user);
          return { user };
        }),
    }),
  });
}
