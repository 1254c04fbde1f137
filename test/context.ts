import type { Limiter } from '../server/limiter';
import type { Context } from '../server/trpc/context';
import type { Session, User } from '../server/trpc/user';

/** Admits everything and counts nothing, for tests of what stands behind the limits. */
export const admittingLimiter: Pick<Limiter, 'decide' | 'peek' | 'releaseRequestId' | 'knownRefusal'> = {
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
  releaseRequestId: async () => undefined,
  knownRefusal: () => undefined,
};

/** A request's context with no limits, and what it did to the session and to the id of the browser. */
export function createTestContext(
  overrides: Partial<Pick<Context, 'user' | 'ip' | 'language' | 'isSessionChecked'>> & {
    browser?: string;
  } = {},
): Context & { sessions: (User | null)[] } {
  const { user = null, ip = '192.0.2.1', language = 'en', isSessionChecked = true, browser } = overrides;
  let browserId = browser ?? null;
  const session: Session | null = user && { user, version: 0 };
  const sessions: (User | null)[] = [];
  return {
    user,
    session,
    isSessionChecked,
    ip,
    language,
    conditions: { couldBuy: () => true },
    deadline: performance.now() + 260,
    rateLimit: { limiter: admittingLimiter, caller: { user: user?.id, ip }, language, decisions: [] },
    setSession: (next) => sessions.push(next?.user ?? null),
    browserId: () => browserId,
    setBrowserId: (id) => {
      browserId = id;
    },
    sessions,
  };
}
