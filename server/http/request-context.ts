import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DecidingLimiter } from '../limiter/adapters/trpc';
import type { ClientAddress } from '../limiter/index';
import type { CheckSession, Conditions, Context } from '../trpc/context';
import { STORE_BUDGET_MS } from '../trpc/deadline';
import { setCookie } from './cookies';
import { resolveLanguage, serializeLanguageCookie } from './language';
import type { Sessions } from './session';
import { nameUser, showsOtherUser } from './user-header';

/** Creates the context of a request, for calls over HTTP and for procedures that a page calls. */
export type RequestContext = (req: IncomingMessage, res: ServerResponse) => Promise<Context>;

/** Creates the function that determines the user, address and language of a request. It runs once for each request. */
export function createRequestContext(options: {
  limiter: DecidingLimiter;
  conditions: Conditions;
  sessions: Sessions;
  checkSession: CheckSession;
  clientAddress: ClientAddress;
  /** True if cookies are sent over https only. */
  secure: boolean;
}): RequestContext {
  const { limiter, conditions, sessions, checkSession, clientAddress, secure } = options;

  return async function requestContext(req, res) {
    const signed = sessions.read(req.headers.cookie);
    const state = signed ? await checkSession(signed) : 'current';
    const session = state === 'revoked' ? null : signed;
    const user = session?.user ?? null;
    const ip = clientAddress(req);
    const { language, isChosen } = resolveLanguage(req);
    if (isChosen) setCookie(res, serializeLanguageCookie(language, { secure }));
    return {
      user,
      ip,
      language,
      conditions,
      session,
      isSessionChecked: state !== 'unchecked',
      deadline: performance.now() + STORE_BUDGET_MS,
      showsOtherUser: showsOtherUser(req, user),
      setSession(next) {
        nameUser(res, next?.user ?? null);
        setCookie(res, sessions.serialize(next));
      },
      browser: sessions.openBrowser(req.headers.cookie, (cookie) => setCookie(res, cookie)),
      rateLimit: { limiter: sharePeeks(limiter), caller: { user: user?.id, ip }, language, decisions: [] },
    };
  };
}

/**
 * Returns a limiter for one request, whose calls share their peeks: a batch of ten `limit.mine` reads each policy once,
 * not ten times.
 */
function sharePeeks(limiter: DecidingLimiter): DecidingLimiter {
  let peeks: Map<string, ReturnType<DecidingLimiter['peek']>> | undefined;
  return {
    decide: limiter.decide,
    release: limiter.release,
    renew: limiter.renew,
    releaseRequestId: limiter.releaseRequestId,
    settle: limiter.settle,
    queue: limiter.queue,
    warn: limiter.warn,
    peek(policy, subjects, options) {
      peeks ??= new Map();
      const key = JSON.stringify([policy.name, subjects, options]);
      const peek = peeks.get(key) ?? limiter.peek(policy, subjects, options);
      peeks.set(key, peek);
      return peek;
    },
  };
}
