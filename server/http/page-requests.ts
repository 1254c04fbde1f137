import { AsyncLocalStorage } from 'node:async_hooks';
import { TRPCError } from '@trpc/server';
import { rateLimitErrorData } from '../limiter/adapters/trpc';
import type { LoggedRefusal } from '../observability/log';
import type { Context, Language, User } from '../trpc/context';

/** The request that a page is rendered for. */
export interface PageRequest {
  language: Language;
  /** For the few inline scripts and styles without a nonce from Next. */
  nonce: string;
  user: User | null;
  /** True in demo mode: sign-in in one click, crowds, the mailbox. */
  demo: boolean;
  /** The public origin, such as `https://sale.example.com`. If absent, the page uses the visitor's own URL. */
  publicOrigin?: string | undefined;
}

/** An enforced level of a policy with its effective limit on this node. */
export interface PolicyLevel {
  level: string;
  algorithm: string;
  limit: number;
  windowMs: number;
  /** The numbers are of this visitor alone. */
  isPersonal?: boolean;
}

/**
 * 401: the visitor must sign in. 403: the visitor has no access. 429: a limit refused a call that the page needs. 503: the
 * store is down.
 */
export type PageStatus = 401 | 403 | 429 | 503;

/** The refusal of a call that a page made. */
export interface RefusedRead {
  /** The policy's own text, in the visitor's language. */
  message: string;
  /** Null if an operator blocks the calls: no time is known. */
  retryAfterMs: number | null;
}

/**
 * The interface from pages to the running server. Next bundles its own copies of modules, so a page that imported
 * `server/` would open a second Redis connection. Pages use `globalThis[Symbol.for('floodgate')]` instead.
 * `Caller` is the caller of the router: `PageRequests<ReturnType<AppRouter['createCaller']>>`.
 */
export interface PageRequests<Caller> {
  /** Returns a caller for the visitor of the current page: without HTTP, with the same context and limits. */
  caller(): Caller;
  /** Returns the request of the current page. */
  request(): PageRequest;
  /** Sets the status of the current page when it shows an error. */
  setStatus(status: Exclude<PageStatus, 429>): void;
  /**
   * Returns the refusal that a call of the current page threw, and sets the page's status to 429. Returns `undefined` for
   * any other error. This and the methods above throw outside of a page.
   */
  handleRefusal(error: unknown): RefusedRead | undefined;
  /** Returns the enforced levels of a policy, for pages that show limits. Returns none for an unknown policy. */
  listEnforcedLevels(policy: string): readonly PolicyLevel[];
  /** Returns true if a merchant has this id, and also while the store is down. Charges nothing. */
  merchantExists(id: string): Promise<boolean>;
}

/** The listener's side of the interface. */
export interface PageRequestStore {
  /** Runs the handler of a page request, so that its asynchronous calls can read the request. */
  run<Result>(request: RunningRequest, handle: () => Result): Result;
  /** Removes the interface. */
  close(): void;
}

export interface RunningRequest {
  context: Context;
  nonce: string;
  /** Sets an error status of the page. Has no effect after the headers were sent. */
  onStatus: (status: PageStatus, options?: { retryAfterMs: number | null }) => void;
}

export interface PageRequestOptions<Caller> {
  demo: boolean;
  publicOrigin?: string | undefined;
  createCaller: (context: Context) => Caller;
  listEnforcedLevels: PageRequests<Caller>['listEnforcedLevels'];
  merchantExists: PageRequests<Caller>['merchantExists'];
  logRefusal: (refusal: LoggedRefusal) => void;
}

const GLOBAL_KEY = Symbol.for('floodgate');

/** Installs the interface as a global. A process has one: the one created last. */
export function createPageRequests<Caller>(options: PageRequestOptions<Caller>): PageRequestStore {
  const { demo, publicOrigin, createCaller, listEnforcedLevels, merchantExists, logRefusal } = options;
  const storage = new AsyncLocalStorage<RunningRequest>();

  function current(): RunningRequest {
    const request = storage.getStore();
    if (!request) throw new Error('No page is being rendered. Call this only while a page renders.');
    return request;
  }

  const pageRequests: PageRequests<Caller> = {
    caller: () => createCaller(current().context),
    request() {
      const { context, nonce } = current();
      return { language: context.language, user: context.user, nonce, demo, publicOrigin };
    },
    setStatus: (status) => current().onStatus(status),
    listEnforcedLevels,
    merchantExists,
    handleRefusal(error) {
      const { rateLimit } = error instanceof TRPCError ? rateLimitErrorData(error) : {};
      if (!(error instanceof TRPCError) || !rateLimit) return undefined;
      logRefusal(rateLimit);
      const { retryAfterMs } = rateLimit;
      current().onStatus(429, { retryAfterMs });
      return { message: error.message, retryAfterMs };
    },
  };
  Reflect.set(globalThis, GLOBAL_KEY, pageRequests);

  return {
    run: (request, handle) => storage.run(request, handle),
    close() {
      if (Reflect.get(globalThis, GLOBAL_KEY) === pageRequests)
        Reflect.deleteProperty(globalThis, GLOBAL_KEY);
    },
  };
}
