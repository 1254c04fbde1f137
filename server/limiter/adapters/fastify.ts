import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
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

export interface FastifyLimitOptions<P extends NamedPolicy> extends HttpLimitOptions<P, FastifyRequest> {
  /** Addresses or CIDR ranges of the proxies in front of the server, `unix` for those of a Unix socket. Default: none. */
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
  const readCall = createReadCall<P, FastifyRequest>(options, PEER_OPTIONS);
  const line = lineOfCaller(rateLimit);

  return async function rateLimitHook(request, reply) {
    if (isPreflight(request.method, request.headers['access-control-request-method'])) return undefined;
    const end = endOfNodeRequest(request.raw, reply.raw);
    const call = await readCall(request, request.raw);
    const answer = call && (await answerRequest<P, FastifyRequest>(options, { request, call, line, end }));
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
