import { randomInt } from 'node:crypto';
import { and, eq, gt, lte } from 'drizzle-orm';
import type { Db, Transaction } from '../db/client';
import { signInCodes } from '../db/schema';
import { type CodeRequest, createCodeHashes } from './code-hashes';

export interface SignInCodeOptions {
  db: Db;
  /** Keys the hashes; the same on every node. */
  secret: string;
  /** Epoch ms. Default: this node's clock. Nodes whose clocks differ shorten or lengthen a code's life by as much. */
  now?: () => number;
}

/** The codes that sign in by e-mail, as far as they are not yet redeemed. */
export interface SignInCodes {
  /** A fresh code of six digits; an older one of the same e-mail and browser is void from now on. */
  issue(request: CodeRequest): Promise<string>;
  /** Uses a code up and says whether it was good: of any number of calls at once, one hears `true`. */
  redeem(transaction: Transaction, attempt: CodeRequest & { code: string }): Promise<boolean>;
  /** Deletes what can no longer be redeemed. To be called now and then. */
  removeExpired(): Promise<void>;
}

/** How long a code can be redeemed. */
export const CODE_LIFETIME_MS = 10 * 60 * 1000;

export function createSignInCodes({ db, secret, now = Date.now }: SignInCodeOptions): SignInCodes {
  const hashes = createCodeHashes(secret);

  return {
    async issue(request) {
      const code = randomInt(1_000_000).toString().padStart(6, '0');
      const values = {
        codeHash: hashes.code({ ...request, code }),
        expiresAt: new Date(now() + CODE_LIFETIME_MS),
      };
      await db
        .insert(signInCodes)
        .values({ requestHash: hashes.request(request), ...values })
        .onConflictDoUpdate({ target: signInCodes.requestHash, set: values });
      return code;
    },

    async redeem(transaction, attempt) {
      const redeemed = await transaction
        .delete(signInCodes)
        .where(
          and(
            eq(signInCodes.requestHash, hashes.request(attempt)),
            eq(signInCodes.codeHash, hashes.code(attempt)),
            gt(signInCodes.expiresAt, new Date(now())),
          ),
        )
        .returning({ requestHash: signInCodes.requestHash });
      return redeemed.length === 1;
    },

    async removeExpired() {
      await db.delete(signInCodes).where(lte(signInCodes.expiresAt, new Date(now())));
    },
  };
}
