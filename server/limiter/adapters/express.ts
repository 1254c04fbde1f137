import type { Request, RequestHandler } from 'express';
import type { NamedPolicy } from '../policy/named-policy';
import {
  addHeaders,
  createAnswerRequest,
  endOfNodeRequest,
  isPreflight,
  PEER_OPTIONS,
  type PeerLimitOptions,
  type SubjectsOption,
} from './http-answer';

export type { Problem, RefusalBody } from './http-answer';

export type ExpressLimitOptions<P extends NamedPolicy> = PeerLimitOptions<P, Request>;

/**
 * Limits routes of Express 5: `app.get('/greet', rateLimit({ limiter, policy }), handler)`. The level `ip` counts by the
 * address of the socket, or by that which the trusted proxies forward. Express's own `trust proxy` is not used. A lease is
 * held until the response is sent or its caller disconnects.
 */
export function rateLimit<const P extends NamedPolicy>(
  options: ExpressLimitOptions<P> & SubjectsOption<P, Request>,
): RequestHandler {
  const answerRequest = createAnswerRequest<P, Request>(options, { known: PEER_OPTIONS, rateLimit });

  return async function rateLimitHandler(req, res, next) {
    if (isPreflight(req.method, req.headers['access-control-request-method'])) return next();
    const answer = await answerRequest(req, { peer: req, end: endOfNodeRequest(req, res) });
    if (!answer) return;
    const get = (name: string) => res.getHeader(name);
    addHeaders({ get, set: (name, value) => res.setHeader(name, value) }, answer.headers);
    if (answer.proceeds) return next();
    // `res.send` would also compute an ETag.
    res.writeHead(answer.status, { 'content-length': Buffer.byteLength(answer.body) }).end(answer.body);
  };
}
