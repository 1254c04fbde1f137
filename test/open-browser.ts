import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client';
import type { AppRouter } from '../server/router';

/** Creates a client that keeps the cookies of its answers, like a browser. */
export function openBrowser(
  { url }: { url: string },
  { cookies = new Map<string, string>(), headers = {} } = {},
): { client: TRPCClient<AppRouter>; cookies: Map<string, string> } {
  const link = httpLink({
    url: `${url}/api/trpc`,
    headers: () => ({
      ...headers,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    }),
    async fetch(input, init) {
      const answer = await fetch(input, init);
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    },
  });
  return { client: createTRPCClient<AppRouter>({ links: [link] }), cookies };
}
