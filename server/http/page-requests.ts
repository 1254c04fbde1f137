import { AsyncLocalStorage } from 'node:async_hooks';
import { TRPCError } from '@trpc/server';
import { rateLimitErrorData } from '../limiter';
import type { LoggedRefusal } from '../observability/refusal-log';
import type { Context } from '../trpc/context';
import type { Language } from '../trpc/language';
import type { User } from '../trpc/user';

/** What a page knows of the request that it is rendered for. */
export interface PageRequest {
  language: Language;
  /** For the few inline scripts and styles that Next does not mark by itself. */
  nonce: string;
  user: User | null;
  /** Whether this is a demo: sign-in in one click, crowds, the mailbox. */
  demo: boolean;
  /** Where the public reaches the site, such as `https://sale.example.com`; unknown, it is wherever the visitor is. */
  publicOrigin?: string | undefined;
}

/** An enforced level of a policy as it is in force on this node. */
export interface PolicyLevel {
  level: string;
  algorithm: string;
  limit: number;
  windowMs: number;
}

/**
 * 401: its visitor has to sign in first. 403: it is for others. 429: a limit refused a call that it needs. 503: it has to
 * do without its store.
 */
export type PageStatus = 401 | 403 | 429 | 503;

/** The refusal of a call that a page needs. */
export interface RefusedRead {
  /** The policy's own text, in the visitor's language. */
  message: string;
  retryAfterMs: number;
}

/**
 * The seam from pages to the running server. Next bundles modules of its own, so a page that imported `server/` would
 * open a second Redis; it finds this at `globalThis[Symbol.for('floodgate')]` instead.
 * `Caller` is the router's own: `PageRequests<ReturnType<AppRouter['createCaller']>>`.
 */
export interface PageRequests<Caller> {
  /** Calls procedures as the visitor of the current page: no HTTP, the same context and limits. */
  caller(): Caller;
  /** The request of the current page. */
  request(): PageRequest;
  /** Sets the status of the current page where it shows something else than what it is for. */
  setStatus(status: Exclude<PageStatus, 429>): void;
  /**
   * Returns the refusal that a call of the current page threw, and sets the page's status to 429. `undefined` for any
   * other error. All four throw outside of a page.
   */
  handleRefusal(error: unknown): RefusedRead | undefined;
  /** The enforced levels of a policy, so that a page states the limits that hold; none for an unknown policy. */
  listEnforcedLevels(policy: string): readonly PolicyLevel[];
}

/** The listener's side of the seam. */
export interface PageRequestStore {
  /** Runs the handling of a page's request, so that whatever it awaits finds the request. */
  run<Result>(request: RunningRequest, handle: () => Result): Result;
  /** Takes the seam away again. */
  close(): void;
}

export interface RunningRequest {
  context: Context;
  nonce: string;
  /** Hears that the page is not what it is for, while its head may still be changed. */
  onStatus: (status: PageStatus, options?: { retryAfterMs: number }) => void;
}

export interface PageRequestOptions<Caller> {
  demo: boolean;
  publicOrigin?: string | undefined;
  createCaller: (context: Context) => Caller;
  listEnforcedLevels: PageRequests<Caller>['listEnforcedLevels'];
  logRefusal: (refusal: LoggedRefusal) => void;
}

const SEAM = Symbol.for('floodgate');

/** Puts the seam in its place. One process has one, the last that was made. */
export function createPageRequests<Caller>(options: PageRequestOptions<Caller>): PageRequestStore {
  const { demo, publicOrigin, createCaller, listEnforcedLevels, logRefusal } = options;
  const storage = new AsyncLocalStorage<RunningRequest>();

  function current(): RunningRequest {
    const request = storage.getStore();
    if (!request)
      throw new Error('No page is being rendered: the seam serves pages only, while they render.');
    return request;
  }

  const seam: PageRequests<Caller> = {
    caller: () => createCaller(current().context),
    request() {
      const { context, nonce } = current();
      return { language: context.language, user: context.user, nonce, demo, publicOrigin };
    },
    setStatus: (status) => current().onStatus(status),
    listEnforcedLevels,
    handleRefusal(error) {
      const { rateLimit } = error instanceof TRPCError ? rateLimitErrorData(error) : {};
      if (!(error instanceof TRPCError) || !rateLimit) return undefined;
      logRefusal(rateLimit);
      const { retryAfterMs } = rateLimit;
      current().onStatus(429, { retryAfterMs });
      return { message: error.message, retryAfterMs };
    },
  };
  Reflect.set(globalThis, SEAM, seam);

  return {
    run: (request, handle) => storage.run(request, handle),
    close() {
      if (Reflect.get(globalThis, SEAM) === seam) Reflect.deleteProperty(globalThis, SEAM);
    },
  };
}
