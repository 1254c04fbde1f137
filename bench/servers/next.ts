/**
 * The click behind a Next route handler, as in a Next application: tRPC's fetch adapter in `app/api/trpc/[trpc]/route.js`.
 * The handler gets the router through a global, so Next's bundling adds no cost. The context has only what the procedure
 * needs.
 */
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { rateLimitHeaders } from '../../server/limiter/index';
import type { Context } from '../../server/trpc/context';
import { STORE_BUDGET_MS } from '../../server/trpc/deadline';
import { serverTasks, serveTasks } from '../harness/tasks';
import { createClick, readWindows } from './click';
import { serveNextApp } from './next-app';

const [windows, redisUrl = ''] = process.argv.slice(2);
const { limiter, conditions, sessions, router, cookies } = await createClick({
  redisUrl,
  name: 'next',
  windows: readWindows(windows),
});

function createContext(req: Request): Context {
  const session = sessions.read(req.headers.get('cookie') ?? undefined);
  const user = session?.user ?? null;
  const ip = '127.0.0.1';
  return {
    user,
    session,
    isSessionChecked: true,
    showsOtherUser: false,
    ip,
    language: 'en',
    conditions,
    deadline: performance.now() + STORE_BUDGET_MS,
    setSession: () => undefined,
    browser: sessions.openBrowser(undefined, () => undefined),
    rateLimit: { limiter, caller: { user: user?.id, ip }, language: 'en', decisions: [] },
  };
}

Object.assign(globalThis, {
  answerBenchCall: (req: Request) =>
    fetchRequestHandler({
      endpoint: '/api/trpc',
      req,
      router,
      createContext: () => createContext(req),
      responseMeta: ({ ctx }) => ({ headers: rateLimitHeaders(ctx?.rateLimit.decisions ?? []) }),
    }),
});

serveTasks(serverTasks, { port: await serveNextApp(), cookies });
