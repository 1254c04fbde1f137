import { randomBytes } from 'node:crypto';
import { createTRPCClient, httpBatchLink, httpLink, type TRPCClient } from '@trpc/client';
import type { AppRouter } from '../server/router';

/** The API of one node, as the official client speaks it. `context.cookie` of a call says who makes it. */
export interface NodeClient {
  /** A request for each call. */
  calls: TRPCClient<AppRouter>;
  /** Calls of the same instant, and so of the same cookie, in one request. */
  batched: (cookie: string) => TRPCClient<AppRouter>;
}

/** An address of its own for each call. Nodes that trust no proxy ignore it. */
function fromAnyAddress(): { 'x-forwarded-for': string } {
  const [a, b, c] = randomBytes(3);
  return { 'x-forwarded-for': `10.${a}.${b}.${c}` };
}

export function createNodeClient(url: string): NodeClient {
  return {
    calls: createTRPCClient<AppRouter>({
      links: [
        httpLink({
          url: `${url}/api/trpc`,
          headers: ({ op }) => ({ cookie: String(op.context.cookie ?? ''), ...fromAnyAddress() }),
        }),
      ],
    }),
    batched: (cookie) =>
      createTRPCClient<AppRouter>({
        links: [httpBatchLink({ url: `${url}/api/trpc`, maxItems: 10, headers: { cookie } })],
      }),
  };
}

/** What an operator does meanwhile. */
export type Admin = TRPCClient<AppRouter>;
