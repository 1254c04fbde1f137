import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Refused } from '../decide/decision';
import type { NamedPolicy } from '../policy/named-policy';
import type { TrustedProxies } from './client-address';
import { endWithNodeResponse } from './held-request';
import { PROBLEM_TYPE } from './http';
import {
  addHeaders,
  createAnswerRequest,
  type HttpLimitOptions,
  isPreflight,
  type SubjectsOption,
} from './http-answer';
import { endOfNodeRequest } from './request-end';

export type { SettledRequest, SettleResponse } from './held-request';
export type { Problem, RefusalBody } from './http';

export interface ExpressLimitOptions<P extends NamedPolicy> extends HttpLimitOptions<P, Request, Response> {
  /** Default: no proxies. */
  trustedProxies?: TrustedProxies;
  /**
   * Receives every refusal, for logs. May send a response itself, also later than it returns if it returns a promise. The
   * response has the status 429, which it may change.
   */
  onRefused?: (decision: Refused, req: Request, res: Response) => unknown;
}

/**
 * Limits routes of Express 4 and 5: `app.get('/greet', rateLimit({ limiter, policy }), handler)`. The level `ip` counts by the
 * address of the socket, or by that which the trusted proxies forward. Express's own `trust proxy` is not used. A call holds
 * its lease, and settles, until the response is sent or its caller disconnects. An error is passed to `next`.
 */
export function rateLimit<const P extends NamedPolicy>(
  options: ExpressLimitOptions<P> & SubjectsOption<P, Request>,
): RequestHandler {
  const answerRequest = createAnswerRequest<P, Request, Response>(options, { rateLimit });
  const { onRefused } = options;

  /** Returns true if the handler may run. Otherwise the response is sent. */
  async function limitRequest(req: Request, res: Response): Promise<boolean> {
    const end = endOfNodeRequest(req, res);
    const answer = await answerRequest(req, { peer: req, end });
    if (!answer) return false;
    if (!end.hasEnded()) {
      const get = (name: string) => res.getHeader(name);
      addHeaders({ get, set: (name, value) => res.setHeader(name, value) }, answer.headers);
    }
    if (answer.proceeds) {
      if (answer.held) endWithNodeResponse(answer.held, { end, res, response: res });
      return true;
    }
    const { status, body, refusal } = answer;
    if (refusal && onRefused) await onRefused(refusal, req, res.status(status));
    if (end.hasEnded()) return false;
    // `res.send` would also compute an ETag.
    res
      .writeHead(status, { 'content-type': PROBLEM_TYPE, 'content-length': Buffer.byteLength(body) })
      .end(body);
    return false;
  }

  return function rateLimitHandler(req: Request, res: Response, next: NextFunction) {
    if (isPreflight(req.method, req.headers['access-control-request-method'])) return next();
    return limitRequest(req, res).then((proceeds) => {
      if (proceeds) next();
    }, next);
  };
}
