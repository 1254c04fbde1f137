import { randomBytes } from 'node:crypto';
import { createTRPCClient, httpBatchLink, httpLink, type TRPCClient } from '@trpc/client';
import type { AppRouter } from '../server/router';

/** tRPC clients of one node. `context.cookie` of a call identifies the caller. */
export interface NodeClient {
  /** Sends each call in its own request. */
  calls: TRPCClient<AppRouter>;
  /** Sends calls of the same tick, which share a cookie, in one request. */
  batched: (cookie: string) => TRPCClient<AppRouter>;
}

/** Returns a random address. Nodes that trust no proxy ignore the header. */
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
        links: [
          httpBatchLink({
            url: `${url}/api/trpc`,
            maxItems: 10,
            headers: () => ({ cookie, ...fromAnyAddress() }),
          }),
        ],
      }),
  };
}

/** The client of an operator. */
export type Admin = TRPCClient<AppRouter>;
