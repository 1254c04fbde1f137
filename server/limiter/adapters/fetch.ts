import type { Refused } from '../decide/decision';
import { isWhole, LimiterOptionError } from '../options';
import { type NamedPolicy, resolveNamedPolicy } from '../policy/named-policy';
import type { AddressHeader } from './client-address';
import { refusedResponse, runHeld, withHeaders } from './fetch-response';
import { createAnswerRequest, type HttpLimitOptions, isPreflight, type SubjectsOption } from './http-answer';
import { endOfRequest } from './request-end';

export { type AddressHeader, forwardedAddress } from './client-address';
export type { SettledRequest, SettleResponse } from './held-request';
export type { Problem, RefusalBody } from './http';

/** `R` is the request of the handler, such as `NextRequest`. */
export interface FetchLimitOptions<P extends NamedPolicy, R extends Request = Request>
  extends HttpLimitOptions<P, R, Response> {
  /**
   * The number of proxies that every request passes, from 1 to 100: the address is that entry of `X-Forwarded-For`, from the
   * right. A request with fewer entries has no address. A `Request` has no peer, so a list of proxies cannot be checked.
   */
  trustedProxies?: number;
  /** The header with the address of the caller. Not with `trustedProxies`. Default: none. */
  addressHeader?: AddressHeader;
  /** Receives every refusal, for logs. May return, or resolve to, a `Response` to send instead of the problem details. */
  onRefused?: (decision: Refused, request: R) => unknown;
}

/**
 * Limits a Fetch handler, such as a route handler of Next.js:
 * `export const GET = rateLimit({ limiter, policy, subjects })(handler)`. A call holds its lease until the body of its
 * response has ended, or the signal of the request aborts, and settles at the end of the body. A handler that throws, also
 * by `redirect()` of Next.js, settles as status 500.
 */
export function rateLimit<const P extends NamedPolicy, R extends Request = Request>(
  options: FetchLimitOptions<P, R> & SubjectsOption<P, R>,
) {
  const known = { addressHeader: true } as const;
  const answerRequest = createAnswerRequest<P, R, Response>(options, { rateLimit, known });
  validateAddress(options);

  return function limitHandler<Own extends R, Rest extends unknown[]>(
    handler: (request: Own, ...rest: Rest) => Response | Promise<Response>,
  ): (request: Own, ...rest: Rest) => Promise<Response> {
    return async function limitedHandler(request, ...rest) {
      const { method, headers } = request;
      if (isPreflight(method, headers.get('access-control-request-method'))) return handler(request, ...rest);
      const header = (name: string) => headers.get(name);
      const answer = await answerRequest(request, { end: endOfRequest(request), header });
      if (!answer?.proceeds)
        return refusedResponse(answer, (refusal) => options.onRefused?.(refusal, request));
      const run = async () => withHeaders(await handler(request, ...rest), answer.headers);
      const { held } = answer;
      return held ? runHeld(held, { request, run, settledOf: (response) => response }) : run();
    };
  };
}

/** Throws a `LimiterOptionError` if the address of a caller cannot be known: a `Request` has no peer. */
function validateAddress(
  options: Pick<FetchLimitOptions<NamedPolicy>, 'policy' | 'trustedProxies' | 'addressHeader'> & {
    subjects?: unknown;
  },
): void {
  const { policy, subjects, trustedProxies, addressHeader } = options;
  if (trustedProxies !== undefined && !isWhole(trustedProxies, 1, 100)) {
    const fix =
      'Use the number of proxies that every request passes, from 1 to 100: a Request has no peer to compare.';
    throw new LimiterOptionError('trustedProxies', trustedProxies, fix, 'rateLimit');
  }
  const hasAddress = trustedProxies !== undefined || addressHeader !== undefined;
  const needsSubjects = resolveNamedPolicy(policy).levels.some(({ level }) => level !== 'global');
  if (subjects !== undefined || hasAddress || !needsSubjects) return;
  const fix =
    'Use a function of the request, which has no peer: subjects: (request) => ({ user }). For the address alone, use trustedProxies or addressHeader.';
  throw new LimiterOptionError('subjects', undefined, fix, 'rateLimit');
}
