import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
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

export type FastifyLimitOptions<P extends NamedPolicy> = PeerLimitOptions<P, FastifyRequest>;

/**
 * Limits routes of Fastify 4 and 5: `app.get('/greet', { onRequest: rateLimit({ limiter, policy }) }, handler)`. As a
 * `preHandler`, `subjects` can read the body. The level `ip` counts by the address of the socket, or by that which the
 * trusted proxies forward. Fastify's own `trustProxy` is not used. A lease is held until the response is sent or its caller
 * disconnects.
 */
export function rateLimit<const P extends NamedPolicy>(
  options: FastifyLimitOptions<P> & SubjectsOption<P, FastifyRequest>,
): onRequestAsyncHookHandler {
  const answerRequest = createAnswerRequest<P, FastifyRequest>(options, { known: PEER_OPTIONS, rateLimit });

  return async function rateLimitHook(request, reply) {
    if (isPreflight(request.method, request.headers['access-control-request-method'])) return undefined;
    const end = endOfNodeRequest(request.raw, reply.raw);
    const answer = await answerRequest(request, { peer: request.raw, end });
    if (!answer) return reply.hijack();
    const get = (name: string) => reply.getHeader(name);
    addHeaders({ get, set: (name, value) => reply.header(name, value) }, answer.headers);
    return answer.proceeds ? undefined : reply.code(answer.status).send(answer.body);
  };
}
