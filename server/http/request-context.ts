import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DecidingLimiter } from '../limiter';
import type { Context } from '../trpc/context';
import { STORE_BUDGET_MS } from '../trpc/deadline';
import { browserIdCookie, readBrowserId } from './browser-id';
import type { ClientAddress } from './client-address';
import { languageCookie, languageOf } from './language';
import { sharePeeks } from './request-peeks';
import { setCookie } from './response-cookies';
import type { Sessions } from './session';

export interface RequestContextOptions {
  limiter: DecidingLimiter;
  sessions: Sessions;
  clientAddress: ClientAddress;
  /** Whether cookies are sent over https only. */
  secure: boolean;
}

/** Makes the context of a request: the same for a call over HTTP and for the procedures that a page calls. */
export type RequestContext = (req: IncomingMessage, res: ServerResponse) => Context;

/** Who calls, from where and in which language is settled here, once per request. */
export function createRequestContext(options: RequestContextOptions): RequestContext {
  const { limiter, sessions, clientAddress, secure } = options;

  return function requestContext(req, res) {
    const user = sessions.read(req.headers.cookie);
    const ip = clientAddress(req);
    const { language, chosen } = languageOf(req);
    if (chosen) setCookie(res, languageCookie(language, { secure }));
    return {
      user,
      ip,
      language,
      deadline: performance.now() + STORE_BUDGET_MS,
      setSession: (next) => setCookie(res, sessions.serialize(next)),
      browserId: () => readBrowserId(req.headers.cookie),
      setBrowserId: (id) => setCookie(res, browserIdCookie(id, { secure })),
      rateLimit: { limiter: sharePeeks(limiter), caller: { user: user?.id, ip }, language, decisions: [] },
    };
  };
}
