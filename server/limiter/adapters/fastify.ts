import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
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

export interface FastifyLimitOptions<P extends NamedPolicy>
  extends HttpLimitOptions<P, FastifyRequest, FastifyReply> {
  /** Default: no proxies. */
  trustedProxies?: TrustedProxies;
  /**
   * Receives every refusal, for logs. May send the reply itself: then it returns it, as in `return reply.send('Wait.')`. The
   * reply has the status 429, which it may change.
   */
  onRefused?: (decision: Refused, request: FastifyRequest, reply: FastifyReply) => unknown;
}

/**
 * Limits routes of Fastify 4 and 5: `app.get('/greet', { onRequest: rateLimit({ limiter, policy }) }, handler)`. As a
 * `preHandler`, `subjects` can read the body. The level `ip` counts by the address of the socket, or by that which the
 * trusted proxies forward. Fastify's own `trustProxy` is not used. A call holds its lease, and settles, until the reply is
 * sent or its caller disconnects.
 */
export function rateLimit<const P extends NamedPolicy>(
  options: FastifyLimitOptions<P> & SubjectsOption<P, FastifyRequest>,
): onRequestAsyncHookHandler {
  const answerRequest = createAnswerRequest<P, FastifyRequest, FastifyReply>(options, { rateLimit });
  const { onRefused } = options;

  return async function rateLimitHook(request, reply) {
    if (isPreflight(request.method, request.headers['access-control-request-method'])) return undefined;
    const { raw: res } = reply;
    const end = endOfNodeRequest(request.raw, res);
    const answer = await answerRequest(request, { peer: request.raw, end });
    if (!answer) return reply.hijack();
    const get = (name: string) => reply.getHeader(name);
    addHeaders({ get, set: (name, value) => reply.header(name, value) }, answer.headers);
    if (answer.proceeds) {
      if (answer.held) endWithNodeResponse(answer.held, { end, res, response: reply });
      return undefined;
    }
    const { status, body, refusal } = answer;
    if (refusal && onRefused) await onRefused(refusal, request, reply.code(status));
    if (reply.sent) return reply;
    if (end.hasEnded()) return reply.hijack();
    return reply.code(status).header('content-type', PROBLEM_TYPE).send(body);
  };
}
