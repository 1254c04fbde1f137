import type { RateLimitContext } from '../limiter/adapters/trpc';

/** The context of every procedure. The listener creates it once per HTTP request. */
export interface Context extends RateLimitContext {
  /** The signed-in user; null if the session cookie is absent, invalid or revoked. */
  user: User | null;
  /** True if the call is of a page that shows another user, because another tab has signed in or out. */
  showsOtherUser: boolean;
  /** The session of `user`. */
  session: Session | null;
  /** False for an admin whose session Postgres could not check. Then only queries are allowed. */
  isSessionChecked: boolean;
  /** The caller's address from `server/limiter/adapters/client-address.ts`: IPv4, or the /64 network of an IPv6 address. */
  ip: string;
  language: Language;
  conditions: Conditions;
  /** End of the time that this request may wait for Redis, in `performance.now()`. See `timeLeftMs`. */
  deadline: number;
  /** Sets the session cookie, or removes it for null. */
  setSession(session: Session | null): void;
  browser: Browser;
}

/** The proofs of a browser about e-mail addresses: signed cookies. */
export interface Browser {
  /** Returns the id under which this browser requested a code for the address in the last hour, else null. */
  requestedCode(email: string): string | null;
  /** Sets the cookie of a request for a code. Returns its id, which the code is bound to. */
  recordCodeRequest(email: string): string;
  /** Returns the id under which this browser has signed in to the address in the last year, else null. */
  signedInTo(email: string): string | null;
  /** Sets the cookie of a sign-in by code. */
  recordSignIn(email: string): void;
}

/**
 * The state that the conditions of levels (`when`) read. It is in the memory of this node and up to a second old. So it
 * decides only what a call is charged, never if the call is allowed.
 */
export interface Conditions {
  /** Returns true if the gate would accept a purchase. */
  couldBuy(purchase: { couponId: string; userId: string }): boolean;
}

/** A user as in the session cookie and in `auth.me`. */
export interface User {
  id: string;
  name: string;
  email?: string | undefined;
  role: 'shopper' | 'admin';
}

/** A sign-in: the user, and the version of the user's sessions at that time. Signing out raises the version. */
export interface Session {
  user: User;
  version: number;
}

/** `unchecked`: Postgres did not answer, so the session may have been revoked. */
export type SessionState = 'current' | 'revoked' | 'unchecked';

/** Compares an admin's session with the version in Postgres. A shopper's session is `current` without a query. */
export type CheckSession = (session: Session) => Promise<SessionState>;

/** The supported languages. The first is the fallback. */
export const languages = ['en', 'zh'] as const;

export type Language = (typeof languages)[number];

/** A text in every language. */
export type Localized = Readonly<Record<Language, string>>;
