import type { Context, Env, MiddlewareHandler } from 'hono';
import type { Refused } from '../decide/decision';
import type { NamedPolicy } from '../policy/named-policy';
import type { AddressedRequest, AddressHeader, TrustedProxies } from './client-address';
import { refusedResponse, runHeld } from './fetch-response';
import { type EndingResponse, endWithNodeResponse } from './held-request';
import {
  addHeaders,
  createAnswerRequest,
  type HttpLimitOptions,
  isPreflight,
  type SubjectsOption,
} from './http-answer';
import { endOfNodeRequest, endOfRequest, type NodeRequest, type NodeResponse } from './request-end';

export { type AddressHeader, forwardedAddress } from './client-address';
export type { SettledRequest, SettleResponse } from './held-request';
export type { Problem, RefusalBody } from './http';

export interface HonoLimitOptions<P extends NamedPolicy, E extends Env>
  extends HttpLimitOptions<P, Context<E>, Context<E>> {
  /** Default: no proxies. On runtimes without a socket, only a number of proxies. */
  trustedProxies?: TrustedProxies;
  /** The header with the address of the caller, instead of that of the socket. Not with `trustedProxies`. Default: none. */
  addressHeader?: AddressHeader;
  /** Receives every refusal, for logs. May return, or resolve to, a `Response` to send instead of the problem details. */
  onRefused?: (decision: Refused, c: Context<E>) => unknown;
}

/** Hono's own default. TypeScript cannot infer the variables of the app, and by this one `c.get('user')` needs no annotation. */
type HonoEnv = Context extends Context<infer E> ? E : never;

/**
 * Limits routes of Hono 4: `app.get('/greet', rateLimit({ limiter, policy }), handler)`. On Node, the level `ip` counts by
 * the address of the socket, or by that which the trusted proxies forward. Other runtimes have no socket: there, use
 * `addressHeader`, a number of `trustedProxies`, or an `ip` of `subjects`, else the call fails with a `MissingSubjectError`. A
 * call holds its lease, and settles, until the response is sent or the caller disconnects; without a socket, until the body
 * of the response has ended. `settle` receives the context, whose response is `c.res`.
 */
export function rateLimit<const P extends NamedPolicy, E extends Env = HonoEnv>(
  options: HonoLimitOptions<P, E> & SubjectsOption<P, Context<E>>,
): MiddlewareHandler<E> {
  const known = { addressHeader: true } as const;
  const answerRequest = createAnswerRequest<P, Context<E>, Context<E>>(options, { rateLimit, known });
  const { trustedProxies = [], onRefused } = options;
  const hasProxies = typeof trustedProxies === 'number' || trustedProxies.length > 0;

  return async function rateLimitMiddleware(c, next) {
    if (isPreflight(c.req.method, c.req.header('access-control-request-method'))) return next();
    const { incoming, outgoing } = (c.env ?? {}) as NodeBindings;
    const end = incoming && outgoing ? endOfNodeRequest(incoming, outgoing) : endOfRequest(c.req.raw);
    const forwarded = hasProxies ? { 'x-forwarded-for': c.req.header('x-forwarded-for') } : {};
    const peer = incoming && { socket: incoming.socket, headers: forwarded };
    const header = (name: string) => c.req.header(name);
    const answer = await answerRequest(c, { peer, end, header });
    if (!answer?.proceeds) return refusedResponse(answer, (refusal) => onRefused?.(refusal, c));
    const { held, headers } = answer;
    if (held && outgoing) endWithNodeResponse(held, { end, res: outgoing, response: c });
    const run = async () => {
      await next();
      return c.res;
    };
    if (held && !outgoing) c.res = await runHeld(held, { request: c.req.raw, run, settledOf: () => c });
    else await next();
    try {
      addHeaders(c.res.headers, headers);
    } catch {
      // The headers of a redirect or of a fetched response cannot be changed.
      c.res = new Response(c.res.body, c.res);
      addHeaders(c.res.headers, headers);
    }
    return undefined;
  };
}

/** The environment of `@hono/node-server`. */
interface NodeBindings {
  incoming?: NodeRequest & Pick<AddressedRequest, 'socket'>;
  outgoing?: NodeResponse & EndingResponse & { readonly headersSent: boolean };
}
