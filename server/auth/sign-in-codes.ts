import { createHmac, randomInt } from 'node:crypto';
import { and, eq, gt, lte } from 'drizzle-orm';
import type { Db, Transaction } from '../db/client';
import { signInCodes } from '../db/schema';

/** A request for a code: the address that receives it, and the browser that may redeem it. */
export interface CodeRequest {
  email: string;
  /** The random id in the cookie with which the browser requested the code. */
  browserId: string;
}

export interface SignInCodeOptions {
  db: Db;
  /** Keys the hashes; the same on every node. */
  secret: string;
  /** Epoch ms. Default: this node's clock. A difference between the clocks of two nodes changes a code's lifetime. */
  now?: () => number;
}

/** The unredeemed codes for sign-in by e-mail. */
export interface SignInCodes {
  /** Issues a code of six digits. It voids an older code of the same e-mail and browser. */
  issue(request: CodeRequest): Promise<string>;
  /** Redeems a code. Returns true if it was valid: exactly one of many concurrent calls gets true. */
  redeem(transaction: Transaction, attempt: CodeRequest & { code: string }): Promise<boolean>;
  /** Deletes expired codes. Call it every few minutes. */
  sweepExpired(): Promise<void>;
}

/** Lifetime of a code. */
export const CODE_LIFETIME_MS = 10 * 60 * 1000;

/** Stores sign-in codes in Postgres, as keyed hashes only. A code has six digits and is valid for 10 min. */
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

    async sweepExpired() {
      await db.delete(signInCodes).where(lte(signInCodes.expiresAt, new Date(now())));
    },
  };
}

/** The hashes that the table holds instead of addresses, browsers and codes. */
interface CodeHashes {
  /** Hashes a request. The hash is equal for the same e-mail and browser, so that a newer code replaces the older one. */
  request(request: CodeRequest): string;
  /** Hashes a code together with its request, so that equal codes of two requests have different hashes. */
  code(request: CodeRequest & { code: string }): string;
}

/**
 * Creates keyed hashes. A code has only a million values, so a plain hash of one is easily reversed. The secret protects
 * rows that leak without it, for example in a log of slow statements or in an export.
 */
function createCodeHashes(secret: string): CodeHashes {
  const hmac = (...parts: string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
  return {
    request: ({ email, browserId }) => hmac('request', email, browserId),
    code: ({ email, browserId, code }) => hmac('code', email, browserId, code),
  };
}
