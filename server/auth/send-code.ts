import { AppError } from '../errors';
import type { Language } from '../trpc/context';
import { withinBudget } from '../trpc/deadline';
import type { CodeRequest } from './code-hashes';
import type { Mailer } from './mailer';
import { CODE_LIFETIME_MS, type SignInCodes } from './sign-in-codes';

/** Sends a code to an address, for the requesting browser. */
export type SendCode = (request: CodeRequest & { language: Language }) => Promise<{ expiresInMs: number }>;

/**
 * Creates `sendCode`. It does not read users, so known and unknown addresses take the same path and the same time.
 * Without a mailer every call throws SERVICE_UNAVAILABLE.
 */
export function createSendCode({
  codes,
  mailer,
}: {
  codes: SignInCodes;
  mailer: Mailer | undefined;
}): SendCode {
  return async function sendCode({ email, browserId, language }) {
    if (!mailer) {
      throw new AppError('SERVICE_UNAVAILABLE', 'This server cannot send codes: it has no mail server.');
    }
    // The code is stored first, because it may arrive before the mail server confirms it.
    const code = await withinBudget(codes.issue({ email, browserId }));
    await mailer.send({ to: email, code, language });
    return { expiresInMs: CODE_LIFETIME_MS };
  };
}
