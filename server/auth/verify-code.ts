import { randomUUID } from 'node:crypto';
import type { Db, Transaction } from '../db/client';
import { users } from '../db/schema';
import { AppError } from '../errors';
import type { Session, User } from '../trpc/user';
import type { CodeRequest } from './code-hashes';
import { displayName } from './display-name';
import { sessionColumns, sessionOf } from './session-row';
import type { SignInCodes } from './sign-in-codes';

/** Redeems a code for the user who owns the address: the one there is, or a new one. */
export type VerifyCode = (attempt: CodeRequest & { code: string }) => Promise<Session>;

export interface VerifyCodeOptions {
  db: Db;
  codes: SignInCodes;
  /** Who administers. Asked at each sign-in, so that who leaves the list is a shopper from the next one on. */
  adminEmails: readonly string[];
}

export function createVerifyCode({ db, codes, adminEmails }: VerifyCodeOptions): VerifyCode {
  const admins = new Set(adminEmails);

  return async function verifyCode(attempt) {
    // In one transaction, so that a failure to write the user leaves the code for another try.
    const session = await db.transaction(async (transaction) => {
      if (!(await codes.redeem(transaction, attempt))) return undefined;
      const { email } = attempt;
      return signIn(transaction, { email, role: admins.has(email) ? 'admin' : 'shopper' });
    });
    if (!session) throw codeRejected();
    return session;
  };
}

/** Does not say whether a code was wrong, late, used or of another browser: only its owner need not guess. */
export function codeRejected(): AppError {
  return new AppError('BAD_REQUEST', 'code: does not sign you in here. Check it, or ask for a new one.');
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
  return sessionOf({ ...user, email });
}
