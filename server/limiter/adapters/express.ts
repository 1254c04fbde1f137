import type { Request, RequestHandler } from 'express';
import type { NamedPolicy } from '../policy/named-policy';
import { lineOfCaller } from './charged-twice';
import {
  answerRequest,
  createReadCall,
  endOfNodeRequest,
  type HttpLimitOptions,
  isPreflight,
  joinHeader,
  PEER_OPTIONS,
  PROBLEM_JSON,
  type SubjectsOption,
} from './http-answer';

export type { Problem, RefusalBody } from './http-answer';

export interface ExpressLimitOptions<P extends NamedPolicy> extends HttpLimitOptions<P, Request> {
  /** Addresses or CIDR ranges of the proxies in front of the server, `unix` for those of a Unix socket. Default: none. */
  trustedProxies?: readonly string[];
}

/**
 * Limits routes of Express 5: `app.get('/greet', rateLimit({ limiter, policy }), handler)`. The level `ip` counts by the
 * address of the socket, or by that which the trusted proxies forward. Express's own `trust proxy` is not used. A lease is
 * held until the response is sent or its caller disconnects.
 */
export function rateLimit<const P extends NamedPolicy>(
  options: ExpressLimitOptions<P> & SubjectsOption<P, Request>,
): RequestHandler {
  const readCall = createReadCall<P, Request>(options, PEER_OPTIONS);
  const line = lineOfCaller(rateLimit);

  return async function rateLimitHandler(req, res, next) {
    if (isPreflight(req.method, req.headers['access-control-request-method'])) return next();
    const end = endOfNodeRequest(req, res);
    const call = await readCall(req, req);
    const answer = call && (await answerRequest<P, Request>(options, { request: req, call, line, end }));
    if (!answer) return;
    for (const [name, value] of Object.entries(answer.headers)) {
      res.setHeader(name, joinHeader(name, value, res.getHeader(name)));
    }
    if (!answer.proceeds) {
      const body = JSON.stringify(answer.body);
      // `res.send` would also compute an ETag.
      const headers = { 'content-type': PROBLEM_JSON, 'content-length': Buffer.byteLength(body) };
      res.writeHead(answer.body.status, headers).end(body);
      return;
    }
    next();
  };
}
