import { createBrowserCookies } from '../server/http/browser-cookies';
import type { DecidingLimiter } from '../server/limiter/adapters/trpc';
import type { Limiter } from '../server/limiter/index';
import type { Context, Session, User } from '../server/trpc/context';
import { STORE_BUDGET_MS } from '../server/trpc/deadline';

/** Admits every call and counts nothing: a limiter for tests of code behind the limits. */
export const admittingLimiter: DecidingLimiter & Pick<Limiter, 'cachedRefusal'> = {
  decide: async ({ name }) => ({
    allowed: true,
    policy: name,
    now: Date.now(),
    levels: [],
    shadowRefusals: [],
    degraded: false,
    replayed: false,
    delayMs: 0,
  }),
  peek: async () => ({ now: Date.now(), windows: [] }),
  release: async () => true,
  renew: async () => true,
  releaseRequestId: async () => undefined,
  settle: async () => true,
  warn: () => undefined,
  queue() {
    throw new Error('the limiter of this test has no queue');
  },
  cachedRefusal: () => undefined,
};

const openBrowser = createBrowserCookies({ secrets: ['a secret of this test'], secure: false });

/** Creates the context of a request without limits. `sessions` records the changes of its session. */
export function createTestContext(
  overrides: Partial<Pick<Context, 'user' | 'ip' | 'language' | 'isSessionChecked' | 'showsOtherUser'>> & {
    /** The cookies of the browser, by name. Its calls change them. */
    cookies?: Map<string, string>;
  } = {},
): Context & { sessions: (User | null)[] } {
  const {
    user = null,
    ip = '192.0.2.1',
    language = 'en',
    isSessionChecked = true,
    showsOtherUser = false,
    cookies = new Map(),
  } = overrides;
  const session: Session | null = user && { user, version: 0 };
  const sessions: (User | null)[] = [];
  return {
    user,
    session,
    isSessionChecked,
    showsOtherUser,
    ip,
    language,
    conditions: { couldBuy: () => true },
    deadline: performance.now() + STORE_BUDGET_MS,
    rateLimit: { limiter: admittingLimiter, caller: { user: user?.id, ip }, language, decisions: [] },
    setSession: (next) => sessions.push(next?.user ?? null),
    browser: openBrowser([...cookies].map((pair) => pair.join('=')).join('; '), (cookie) => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }),
    sessions,
  };
}
