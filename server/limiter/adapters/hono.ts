import type { Context, Env, MiddlewareHandler } from 'hono';
import type { NamedPolicy } from '../policy/named-policy';
import type { AddressedRequest } from './client-address';
import {
  addHeaders,
  createAnswerRequest,
  createResponse,
  endOfNodeRequest,
  endOfRequest,
  isPreflight,
  PEER_OPTIONS,
  type PeerLimitOptions,
  type SubjectsOption,
} from './http-answer';
import type { NodeRequest, NodeResponse } from './request-end';

export { forwardedAddress } from './client-address';
export type { Problem, RefusalBody } from './http-answer';

export type HonoLimitOptions<P extends NamedPolicy, E extends Env> = PeerLimitOptions<P, Context<E>>;

/**
 * Limits routes of Hono 4: `app.get('/greet', rateLimit({ limiter, policy }), handler)`. On Node, the level `ip` counts by
 * the address of the socket, or by that which the trusted proxies forward. Other runtimes have no socket: there, `subjects`
 * returns the `ip`, else the call fails with a `MissingSubjectError`. A lease is held until the handler
 * has returned or the caller disconnects.
 */
export function rateLimit<const P extends NamedPolicy, E extends Env = Env>(
  options: HonoLimitOptions<P, E> & SubjectsOption<P, Context<E>>,
): MiddlewareHandler<E> {
  const answerRequest = createAnswerRequest<P, Context<E>>(options, { known: PEER_OPTIONS, rateLimit });
  const hasProxies = options.trustedProxies !== undefined && options.trustedProxies.length > 0;

  return async function rateLimitMiddleware(c, next) {
    if (isPreflight(c.req.method, c.req.header('access-control-request-method'))) return next();
    const { incoming, outgoing } = (c.env ?? {}) as NodeBindings;
    const end = incoming && outgoing ? endOfNodeRequest(incoming, outgoing) : endOfRequest(c.req.raw);
    const forwarded = hasProxies ? { 'x-forwarded-for': c.req.header('x-forwarded-for') } : {};
    const peer = incoming && { socket: incoming.socket, headers: forwarded };
    const answer = await answerRequest(c, { peer, end });
    if (!answer?.proceeds) return createResponse(answer);
    try {
      await next();
    } finally {
      answer.release?.();
    }
    try {
      addHeaders(c.res.headers, answer.headers);
    } catch {
      // The headers of a redirect or of a fetched response cannot be changed.
      c.res = new Response(c.res.body, c.res);
      addHeaders(c.res.headers, answer.headers);
    }
    return undefined;
  };
}

/** The environment of `@hono/node-server`. */
interface NodeBindings {
  incoming?: NodeRequest & Pick<AddressedRequest, 'socket'>;
  outgoing?: NodeResponse & { readonly headersSent: boolean };
}
