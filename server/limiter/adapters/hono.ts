import type { Context, Env, MiddlewareHandler } from 'hono';
import type { NamedPolicy } from '../policy/named-policy';
import { lineOfCaller } from './charged-twice';
import type { AddressedRequest } from './client-address';
import {
  answerRequest,
  createEndedResponse,
  createReadCall,
  endOfNodeRequest,
  endOfRequest,
  type HttpLimitOptions,
  isPreflight,
  joinHeader,
  PEER_OPTIONS,
  PROBLEM_JSON,
  type SubjectsOption,
} from './http-answer';
import type { NodeRequest, NodeResponse } from './request-end';

export { forwardedAddress } from './forwarded-address';
export type { Problem, RefusalBody } from './http-answer';

export interface HonoLimitOptions<P extends NamedPolicy, E extends Env>
  extends HttpLimitOptions<P, Context<E>> {
  /** Addresses or CIDR ranges of the proxies in front of the server, `unix` for those of a Unix socket. Default: none. */
  trustedProxies?: readonly string[];
}

/**
 * Limits routes of Hono 4: `app.get('/greet', rateLimit({ limiter, policy }), handler)`. On Node, the level `ip` counts by
 * the address of the socket, or by that which the trusted proxies forward. Other runtimes have no socket: there, `subjects`
 * returns the `ip`, else the call fails with a `MissingSubjectError`. A lease is held until the handler
 * has returned or the caller disconnects.
 */
export function rateLimit<const P extends NamedPolicy, E extends Env = Env>(
  options: HonoLimitOptions<P, E> & SubjectsOption<P, Context<E>>,
): MiddlewareHandler<E> {
  const readCall = createReadCall<P, Context<E>>(options, PEER_OPTIONS);
  const hasProxies = options.trustedProxies !== undefined && options.trustedProxies.length > 0;
  const line = lineOfCaller(rateLimit);

  return async function rateLimitMiddleware(c, next) {
    if (isPreflight(c.req.method, c.req.header('access-control-request-method'))) return next();
    const { incoming, outgoing } = (c.env ?? {}) as NodeBindings;
    const end = incoming && outgoing ? endOfNodeRequest(incoming, outgoing) : endOfRequest(c.req.raw);
    const forwarded = hasProxies ? { 'x-forwarded-for': c.req.header('x-forwarded-for') } : {};
    const call = await readCall(c, incoming && { socket: incoming.socket, headers: forwarded });
    const answer = call && (await answerRequest<P, Context<E>>(options, { request: c, call, line, end }));
    if (!answer) return createEndedResponse();
    if (!answer.proceeds) {
      const headers = Object.assign(answer.headers, { 'content-type': PROBLEM_JSON });
      return new Response(JSON.stringify(answer.body), { status: answer.body.status, headers });
    }
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

function addHeaders(headers: Headers, added: Record<string, string>): void {
  for (const [name, value] of Object.entries(added)) {
    headers.set(name, joinHeader(name, value, headers.get(name)));
  }
}
