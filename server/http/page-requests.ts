import { AsyncLocalStorage } from 'node:async_hooks';
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

/** 401: its visitor has to sign in first. 403: it is for others. 503: it has to do without its store. */
export type PageStatus = 401 | 403 | 503;

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
  /** The current page says something else than what it is for, and why. All three throw outside of a page. */
  answerAs(status: PageStatus): void;
  /** The enforced levels of a policy, so that a page states the limits that hold; none for an unknown policy. */
  levelsOf(policy: string): readonly PolicyLevel[];
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
  onStatus: (status: PageStatus) => void;
}

export interface PageRequestOptions<Caller> {
  demo: boolean;
  publicOrigin?: string | undefined;
  createCaller: (context: Context) => Caller;
  levelsOf: PageRequests<Caller>['levelsOf'];
}

const SEAM = Symbol.for('floodgate');

/** Puts the seam in its place. One process has one, the last that was made. */
export function createPageRequests<Caller>(options: PageRequestOptions<Caller>): PageRequestStore {
  const { demo, publicOrigin, createCaller, levelsOf } = options;
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
    answerAs: (status) => current().onStatus(status),
    levelsOf,
  };
  Reflect.set(globalThis, SEAM, seam);

  return {
    run: (request, handle) => storage.run(request, handle),
    close() {
      if (Reflect.get(globalThis, SEAM) === seam) Reflect.deleteProperty(globalThis, SEAM);
    },
  };
}
