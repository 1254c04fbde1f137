import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { lineOfCaller } from '../limiter/charged-twice';
import { createClientAddress } from '../limiter/client-address';
import {
  answerRequest,
  endOfNodeRequest,
  type HttpLimitOptions,
  isPreflight,
  joinHeader,
  PROBLEM_JSON,
  type SubjectsOption,
  withAddress,
} from './http-answer';
import type { NamedPolicy } from './named-policy';

export type { Problem, RefusalBody } from './http-answer';

export interface FastifyLimitOptions<P extends NamedPolicy> extends HttpLimitOptions<P, FastifyRequest> {
  /** Addresses or CIDR ranges of the proxies in front of the server. Default: none. */
  trustedProxies?: readonly string[];
}

/**
 * Limits routes of Fastify 5: `app.get('/greet', { onRequest: rateLimit({ limiter, policy }) }, handler)`. As a
 * `preHandler`, `subjects` can read the body. The level `ip` counts by the address of the socket, or by that which the
 * trusted proxies forward. Fastify's own `trustProxy` is not used. A lease is held until the response is sent or its caller
 * disconnects.
 */
export function rateLimit<const P extends NamedPolicy>(
  options: FastifyLimitOptions<P> & SubjectsOption<P, FastifyRequest>,
): onRequestAsyncHookHandler {
  const clientAddress = createClientAddress({ trustedProxies: options.trustedProxies ?? [] });
  const line = lineOfCaller(rateLimit);

  return async function rateLimitHook(request, reply) {
    if (isPreflight(request.method, request.headers['access-control-request-method'])) return undefined;
    const call = withAddress<P>(clientAddress(request.raw), await options.subjects?.(request));
    const end = endOfNodeRequest(request.raw, reply.raw);
    const answer = await answerRequest<P, FastifyRequest>(options, { request, call, line, end });
    if (!answer) return reply.hijack();
    for (const [name, value] of Object.entries(answer.headers)) {
      reply.header(name, joinHeader(name, value, reply.getHeader(name)));
    }
    if (!answer.proceeds) {
      return reply.code(answer.body.status).type(PROBLEM_JSON).send(JSON.stringify(answer.body));
    }
    return undefined;
  };
}
