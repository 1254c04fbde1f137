import type { RateLimitContext } from '../limiter';
import type { Language } from './language';
import type { Session, User } from './user';

/**
 * The state that the conditions of levels (`when`) read. It is in the memory of this node and up to a second old, so it
 * decides what a call is charged, and never what it may do.
 */
export interface Conditions {
  /** Returns true where a purchase would be accepted. */
  couldBuy(purchase: { couponId: string; userId: string }): boolean;
}

/** What every procedure knows of the request it serves. Made by the listener, once per HTTP request. */
export interface Context extends RateLimitContext {
  /** The signed-in user by the session cookie; null where there is none, or it does not verify, or it was revoked. */
  user: User | null;
  /** The session of `user`. */
  session: Session | null;
  /** False for an admin whose session Postgres could not check: then the admin reads, and changes nothing. */
  isSessionChecked: boolean;
  /** The caller's address, as `server/http/client-address.ts` finds it: IPv4, or the /64 of an IPv6. */
  ip: string;
  language: Language;
  conditions: Conditions;
  /** Until when this request may wait for Redis, by `performance.now()`; see `timeLeftMs`. */
  deadline: number;
  /** Answers with a session cookie, or with its removal. */
  setSession(session: Session | null): void;
  /** The random id of the browser's own, which codes are bound to; null where it has been given none. */
  browserId(): string | null;
  /** Answers with a cookie that gives the browser this id, or keeps it for longer. */
  setBrowserId(id: string): void;
}
