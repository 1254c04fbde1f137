import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Db, Transaction } from '../db/client';
import { users } from '../db/schema';
import { emailAddress } from '../email-address';
import { AppError } from '../errors';
import type { Language, Session, User } from '../trpc/context';
import { withinBudget } from '../trpc/deadline';
import type { Mailer } from './code-mail';
import { CODE_LIFETIME_MS, type CodeRequest, type SignInCodes } from './sign-in-codes';
import { sessionColumns, toSession } from './user-sessions';

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

/** Redeems a code and signs in the user with the address, who is created if necessary. */
export type VerifyCode = (attempt: CodeRequest & { code: string }) => Promise<Session>;

export interface VerifyCodeOptions {
  db: Db;
  codes: SignInCodes;
  /** Addresses of the admins. Each sign-in sets the role from this list. */
  adminEmails: readonly string[];
}

/** Builds code verification on Postgres. A wrong, expired or used code is rejected with the error of `codeRejected`. */
export function createVerifyCode({ db, codes, adminEmails }: VerifyCodeOptions): VerifyCode {
  const admins = new Set(adminEmails);

  return async function verifyCode(attempt) {
    // One transaction, so that the code stays valid if writing the user fails.
    const session = await db.transaction(async (transaction) => {
      if (!(await codes.redeem(transaction, attempt))) return undefined;
      const { email } = attempt;
      return signIn(transaction, { email, role: admins.has(email) ? 'admin' : 'shopper' });
    });
    if (!session) throw codeRejected();
    return session;
  };
}

/** Creates the error of a rejected code. The message is the same for a wrong, expired, used or foreign code, so that guessing learns nothing. */
export function codeRejected(): AppError {
  return new AppError('BAD_REQUEST', 'code: does not sign you in here. Check it, or request a new one.');
}

async function signIn(
  transaction: Transaction,
  { email, role }: Pick<User, 'role'> & { email: string },
): Promise<Session> {
  const [user] = await transaction
    .insert(users)
    .values({ id: randomUUID(), name: displayName(email), email, role })
    .onConflictDoUpdate({ target: users.email, set: { role } })
    .returning(sessionColumns);
  if (!user) throw new Error('Postgres returned no user for an e-mail.');
  return toSession({ ...user, email });
}

/** Returns the id of the user with an e-mail address, as typed; `undefined` if there is none. */
export async function findUserIdByEmail(db: Db, text: string): Promise<string | undefined> {
  const { data: email } = emailAddress.safeParse(text);
  if (email === undefined) return undefined;
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  return user?.id;
}

/** The same maximum as for names in a demo. */
const MAX_LENGTH = 40;

/** Derives a display name from an e-mail: `ada.love-lace+sale@example.com` → `Ada Love Lace`. */
export function displayName(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@'));
  const [untagged = ''] = local.split('+');
  const words = untagged.split(/[._-]+/).filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
  return (name || local).slice(0, MAX_LENGTH).trim();
}
