'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { type ReactNode, useState } from 'react';
import type { AppRouter } from '../../server/router';
import { problemOf } from './problem';

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();
const url = '/api/trpc';

/** Provides the tRPC client and the query cache. */
export function ApiProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  const [client] = useState(createClient);
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}

/**
 * Sends mutations and searches alone, so that each has its own status and headers. Other calls are batched, at most 10:
 * the server's maximum. Never use a streaming link: with it, the server sends headers before the decisions.
 */
function createClient() {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type, path }) => type === 'mutation' || path === 'merchant.list',
        true: [responseHeadersLink, httpLink({ url })],
        false: httpBatchLink({ url, maxItems: 10 }),
      }),
    ],
  });
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      mutations: { retry: false },
      queries: { retry: shouldRetry, staleTime: 5_000 },
    },
  });
}

/** Returns true for temporary failures, at most twice. A refusal is not one: the limit would refuse the retry, too. */
function shouldRetry(failures: number, error: unknown): boolean {
  const { kind } = problemOf(error);
  return failures < 2 && (kind === 'lost' || kind === 'unavailable');
}

/** The `context` of a call that receives the response headers, also of a refusal. */
export interface HeadersContext extends Record<string, unknown> {
  onHeaders(headers: Headers): void;
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
