import { z } from 'zod';
import { emailAddress } from '../email-address';
import { rateLimit, unlimited } from '../limiter/adapters/trpc';
import { policies } from '../policies';
import type { User } from '../trpc/context';
import { plainText } from '../trpc/inputs';
import { onlyInDemo, publicProcedure, requireShownUser, router } from '../trpc/procedures';
import { codeRejected, type SendCode, type VerifyCode } from './sign-in-by-code';
import type { SignInDemo } from './sign-in-demo';
import type { SessionVersions } from './user-sessions';

export interface AuthVerbs {
  /** True in demo mode, where anyone may sign in as anyone. */
  demo: boolean;
  signInDemo: SignInDemo;
  sendCode: SendCode;
  verifyCode: VerifyCode;
  /** Revokes the sessions of a user who signs out. */
  revokeSession: SessionVersions['revoke'];
}

const demoInput = z
  .object({
    name: plainText({ min: 1, max: 40 }).optional(),
    role: z.enum(['shopper', 'admin']).optional(),
  })
  .optional();

const sendInput = z.object({ email: emailAddress });

/** Accepts pasted codes: with spaces or a hyphen in the middle, or in the full-width digits of Chinese keyboards. */
const sixDigits = z
  .string()
  .max(64)
  .transform((text) => text.normalize('NFKC').replace(/[\s-]/g, ''))
  .pipe(z.string().regex(/^\d{6}$/, 'must be six digits'));

const verifyInput = sendInput.extend({ code: sixDigits });

/** The procedures of sign-in and sign-out. `signInDemo` exists only in demo mode. */
export function createAuthRouter({ demo, signInDemo, sendCode, verifyCode, revokeSession }: AuthVerbs) {
  return router({
    me: publicProcedure
      .use(rateLimit(policies.ownRead))
      .query(({ ctx }): { user: User | null } => ({ user: ctx.user })),

    signOut: publicProcedure.use(unlimited).mutation(async ({ ctx }): Promise<Record<string, never>> => {
      if (ctx.user) requireShownUser(ctx);
      if (ctx.session) await revokeSession(ctx.session);
      ctx.setSession(null);
      return {};
    }),

    sendCode: publicProcedure
      .use(rateLimit(policies.sendCode))
      .meta({ hasOwnTimeout: true })
      .input(sendInput)
      .mutation(async ({ ctx, input }): Promise<{ expiresInMs: number }> => {
        const browserId = ctx.browser.recordCodeRequest(input.email);
        return sendCode({ ...input, browserId, language: ctx.language });
      }),

    verifyCode: publicProcedure
      .use(rateLimit(policies.verifyCode))
      .input(verifyInput)
      .mutation(async ({ ctx, input }): Promise<{ user: User }> => {
        // A code works only in the browser that requested it.
        const browserId = ctx.browser.requestedCode(input.email);
        if (browserId === null) throw codeRejected();
        const session = await verifyCode({ ...input, browserId });
        ctx.setSession(session);
        ctx.browser.recordSignIn(input.email);
        return { user: session.user };
      }),

    ...onlyInDemo(demo, {
      signInDemo: publicProcedure
        .use(rateLimit(policies.signInDemo))
        .input(demoInput)
        .mutation(async ({ ctx, input }): Promise<{ user: User }> => {
          // One browser is one shopper: another tab or click of the same visitor has signed in as a new shopper.
          if (!input?.name && !input?.role && ctx.user) return { user: ctx.user };
          const session = await signInDemo({ ...input, language: ctx.language });
          ctx.setSession(session);
          return { user: session.user };
        }),
    }),
  });
}
