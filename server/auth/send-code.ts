import { AppError } from '../errors';
import { inTime } from '../trpc/in-time';
import type { Language } from '../trpc/language';
import type { CodeRequest } from './code-hashes';
import type { Mailer } from './mailer';
import { CODE_LIFETIME_MS, type SignInCodes } from './sign-in-codes';

/** Sends a code to an address, for the browser that asks. */
export type SendCode = (request: CodeRequest & { language: Language }) => Promise<{ expiresInMs: number }>;

/**
 * Looks no user up: known and unknown addresses take the same way and the same time.
 * Without a mailer every call answers SERVICE_UNAVAILABLE.
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
      throw new AppError('SERVICE_UNAVAILABLE', 'This server cannot send codes: it knows no mail server.');
    }
    // Stored first: a code may arrive before the mail server has said that it was taken.
    const code = await inTime(codes.issue({ email, browserId }));
    await mailer.send({ to: email, code, language });
    return { expiresInMs: CODE_LIFETIME_MS };
  };
}
