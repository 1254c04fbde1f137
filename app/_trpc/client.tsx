'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCLink } from '@trpc/client';
import { tap } from '@trpc/server/observable';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { type ReactNode, useState } from 'react';
import type { AppRouter } from '../../server/router';
import { isOfOtherUser, problemOf } from './problem';
import { shownUser, USER_HEADER } from './user';

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

/** Provides the tRPC client and the query cache of a tab. */
export function ApiProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  const [trpcClient] = useState(createClient);
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}

function createQueryClient(): QueryClient {
  const queries = { retry: shouldRetry, staleTime: 5_000 };
  // Without a network, a press fails and says so.
  const mutations = { networkMode: 'always' } as const;
  return new FreshQueryClient({ defaultOptions: { queries, mutations } });
}

/**
 * Reads invalidated queries again, also one whose first read is running, which may have begun before the change.
 * `QueryClient` does so only if the query has data.
 */
class FreshQueryClient extends QueryClient {
  override invalidateQueries(...args: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    void this.cancelQueries({ ...args[0], type: 'active' }, { silent: true });
    return super.invalidateQueries(...args);
  }
}

/**
 * Returns true for temporary failures, at most twice. A limit would refuse the retry, too. A query that named another user than
 * the signed-in one names the right one then.
 */
function shouldRetry(failures: number, error: unknown): boolean {
  const { kind } = problemOf(error);
  return failures < 2 && (kind === 'lost' || kind === 'unavailable' || isOfOtherUser(error));
}

/**
 * Sends mutations and searches alone, so that each has its own status and headers. Other calls are batched, at most 10:
 * the server's maximum. Never use a streaming link: with it, the server sends headers before the decisions.
 */
function createClient() {
  const http = { url: '/api/trpc', fetch: fetchAndCompare };
  return createTRPCClient<AppRouter>({
    links: [
      boundWait,
      splitLink({
        condition: ({ type, path }) => type === 'mutation' || path === 'merchant.list',
        true: [reportHeaders, httpLink({ ...http, headers: ({ op }) => nameUser(op.context) })],
        false: httpBatchLink({ ...http, maxItems: 10, headers: () => nameUser() }),
      }),
    ],
  });
}

/** Time after which a call without a response fails as lost, in ms. The server's own calls to stores end sooner. */
const MAX_WAIT_MS = 15_000;

/** The crowd and the lab answer after their work, which may take longer. */
const LONG_CALL = /^(demo|lab)\./;

/** Ends a call without a response. A call with a signal of its own ends by it. */
const boundWait: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    next(LONG_CALL.test(op.path) ? op : { ...op, signal: op.signal ?? AbortSignal.timeout(MAX_WAIT_MS) });

/** Names the user that the page shows, or showed at the click. The server refuses a call if another one is signed in. */
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

/** The `context` of a call that receives the response headers, also of a refusal. */
export interface HeadersContext extends Record<string, unknown> {
  onHeaders(headers: Headers): void;
}

/** Passes the response headers to `onHeaders`, because tRPC's results omit them. */
const reportHeaders: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) => {
    const { onHeaders } = op.context;
    function report({ response }: Record<string, unknown> = {}): void {
      if (typeof onHeaders === 'function' && response instanceof Response) onHeaders(response.headers);
    }
    return next(op).pipe(tap({ next: ({ context }) => report(context), error: ({ meta }) => report(meta) }));
  };
