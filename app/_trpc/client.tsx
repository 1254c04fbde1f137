'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCClient, httpBatchLink, httpLink, splitLink } from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { type ReactNode, useState } from 'react';
import type { AppRouter } from '../../server/router';
import { answerHeaders } from './answer-headers';
import { problemOf } from './problem';

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

const url = '/api/trpc';

/** The browser's road to the procedures. */
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
 * A mutation and a search travel alone, so that each has its own status and headers; the rest share requests.
 * Never a streaming link: headers would leave before the decisions are made.
 */
function createClient() {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type, path }) => type === 'mutation' || path === 'merchant.list',
        true: [answerHeaders, httpLink({ url })],
        false: httpBatchLink({ url, maxItems: 10 }),
      }),
    ],
  });
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      mutations: { retry: false },
      queries: { retry: isWorthRepeating, staleTime: 5_000 },
    },
  });
}

/** Only what may pass by itself is asked again, twice; a refusal never is, since asking again is what was refused. */
function isWorthRepeating(failures: number, error: unknown): boolean {
  const { kind } = problemOf(error);
  return failures < 2 && (kind === 'lost' || kind === 'unavailable');
}
