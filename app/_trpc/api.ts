import {
  InfiniteQueryObserver,
  type InfiniteQueryObserverResult,
  MutationObserver,
  notifyManager,
  QueryClient,
  QueryObserver,
  type QueryObserverOptions,
} from '@tanstack/react-query';
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  splitLink,
  type TRPCClient,
  type TRPCLink,
} from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter } from '../../server/router';
import { isOfOtherUser, problemOf } from './problem';
import { shownUser, USER_HEADER } from './shown-user';

const url = '/api/trpc';

/** `infinite`: a query of several pages. */
export type QueryKind = 'query' | 'infinite';

/** A query that a component observes. */
interface ObservedQuery {
  subscribe(listener: () => void): () => void;
  current(): unknown;
  /** Returns the result for new options, and records which of its fields the component reads. */
  read(options: QueryObserverOptions): InfiniteQueryObserverResult;
  setOptions(options: QueryObserverOptions): void;
}

/** The tRPC client and the query cache of a tab. */
export interface Api {
  client: TRPCClient<AppRouter>;
  queryClient: QueryClient;
  MutationObserver: typeof MutationObserver;
  observe(kind: QueryKind, options: QueryObserverOptions): ObservedQuery;
}

/** Creates the client and the cache. This module loads after the page. */
export function createApi(): Api {
  // By default, React Query notifies in a timer task: state that is set at the same time would be rendered before it.
  notifyManager.setScheduler(queueMicrotask);
  const queryClient = createQueryClient();
  queryClient.mount();
  return {
    client: createClient(),
    queryClient,
    MutationObserver,
    observe: (kind, options) => observeQuery({ queryClient, kind, options }),
  };
}

interface Observation {
  queryClient: QueryClient;
  kind: QueryKind;
  options: QueryObserverOptions;
}

/** The adapter of React Query's `useBaseQuery`, without Suspense. */
function observeQuery({ queryClient, kind, options: first }: Observation): ObservedQuery {
  // React Query's hooks have the same casts: the classes differ in the types of options and results only.
  const Observer = kind === 'query' ? QueryObserver : (InfiniteQueryObserver as typeof QueryObserver);
  const withDefaults = (options: QueryObserverOptions) => ({
    ...queryClient.defaultQueryOptions(options),
    _optimisticResults: 'optimistic' as const,
  });
  const observer = new Observer(queryClient, withDefaults(first));
  return {
    subscribe(listener) {
      const unsubscribe = observer.subscribe(notifyManager.batchCalls(listener));
      observer.updateResult();
      return unsubscribe;
    },
    current: () => observer.getCurrentResult(),
    read(options) {
      const result = observer.getOptimisticResult(withDefaults(options));
      return observer.trackResult(result) as InfiniteQueryObserverResult;
    },
    setOptions: (options) => observer.setOptions(withDefaults(options)),
  };
}

/**
 * Sends mutations and searches alone, so that each has its own status and headers. Other calls are batched, at most 10:
 * the server's maximum. Never use a streaming link: with it, the server sends headers before the decisions.
 */
function createClient(): TRPCClient<AppRouter> {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type, path }) => type === 'mutation' || path === 'merchant.list',
        true: [
          responseHeadersLink,
          httpLink({ url, fetch: fetchAndCompare, headers: ({ op }) => nameUser(op.context) }),
        ],
        false: httpBatchLink({ url, maxItems: 10, fetch: fetchAndCompare, headers: () => nameUser() }),
      }),
    ],
  });
}

/** Names the user that the page shows. The server refuses a call if another one is signed in. */
function nameUser({ userName }: Record<string, unknown> = {}): Record<string, string> {
  return { [USER_HEADER]: typeof userName === 'string' ? userName : shownUser.name };
}

/** Calls that change or read the user. Their callers apply the answer. */
const USER_CALL = /\/auth\.(signInDemo|verifyCode|signOut|me)\b/;

/** Reports an answer for another user than the page named, unless the caller applies it itself. */
const fetchAndCompare: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const answered = response.headers.get(USER_HEADER);
  const isOther = answered !== null && answered !== new Headers(init?.headers).get(USER_HEADER);
  if (isOther && !(response.ok && USER_CALL.test(String(input)))) shownUser.onOther();
  return response;
};

function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      mutations: { retry: false },
      queries: { retry: shouldRetry, staleTime: 5_000 },
    },
  });
}

/**
 * Returns true for temporary failures, at most twice. A refusal is not one: the limit would refuse the retry, too. A query
 * that names another user than the signed-in one names the right one when it is retried.
 */
function shouldRetry(failures: number, error: unknown): boolean {
  const { kind } = problemOf(error);
  return failures < 2 && (kind === 'lost' || kind === 'unavailable' || isOfOtherUser(error));
}

/** Passes the response headers to `onHeaders`, because tRPC's results omit them. */
const responseHeadersLink: TRPCLink<AppRouter> = () =>
  function passResponseHeaders({ op, next }) {
    const { onHeaders } = op.context;
    if (typeof onHeaders !== 'function') return next(op);
    const report = (meta: Record<string, unknown> | undefined) => {
      if (meta?.response instanceof Response) onHeaders(meta.response.headers);
    };
    return observable((observer) =>
      next(op).subscribe({
        next(result) {
          report(result.context);
          observer.next(result);
        },
        error(error) {
          report(error.meta);
          observer.error(error);
        },
        complete: () => observer.complete(),
      }),
    );
  };
