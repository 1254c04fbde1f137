import type { Limiter } from '../server/limiter';
import type { Context } from '../server/trpc/context';
import type { User } from '../server/trpc/user';

/** Admits everything and counts nothing, for tests of what stands behind the limits. */
const openLimiter: Limiter = {
  decide: async ({ name }) => ({
    allowed: true,
    policy: name,
    now: Date.now(),
    levels: [],
    degraded: false,
    replayed: false,
  }),
  peek: async () => ({ now: Date.now(), windows: [] }),
};

/** A request's context with no limits, and what it did to the session. */
export function testContext(
  overrides: Partial<Pick<Context, 'user' | 'ip' | 'language'>> = {},
): Context & { sessions: (User | null)[] } {
  const { user = null, ip = '192.0.2.1', language = 'en' } = overrides;
  const sessions: (User | null)[] = [];
  return {
    user,
    ip,
    language,
    startedAt: performance.now(),
    rateLimit: { limiter: openLimiter, caller: { user: user?.id, ip }, language, decisions: [] },
    setSession: (next) => sessions.push(next),
    sessions,
  };
}
