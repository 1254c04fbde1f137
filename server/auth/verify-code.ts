import { randomUUID } from 'node:crypto';
import type { Db, Transaction } from '../db/client';
import { users } from '../db/schema';
import { AppError } from '../errors';
import type { Session, User } from '../trpc/context';
import type { CodeRequest } from './code-hashes';
import { displayName } from './display-name';
import { sessionColumns, toSession } from './session-row';
import type { SignInCodes } from './sign-in-codes';

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
