import { LimiterOptionError } from '../options';
import type { NamedPolicy } from '../policy/named-policy';
import {
  addHeaders,
  createAnswerRequest,
  createResponse,
  endOfRequest,
  type HttpLimitOptions,
  isPreflight,
  REQUEST_OPTIONS,
  type SubjectsReader,
} from './http-answer';

export { forwardedAddress } from './client-address';
export type { Problem, RefusalBody } from './http-answer';

export interface FetchLimitOptions<P extends NamedPolicy> extends HttpLimitOptions<P, Request> {
  /**
   * Returns the subjects of a request. A `Request` has no peer, so that `ip` comes from the platform, or from
   * `forwardedAddress` behind a known number of proxies. A call without one fails with a `MissingSubjectError`.
   */
  subjects: SubjectsReader<P, Request>;
}

type Handler<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;

/**
 * Limits a Fetch handler, such as a route handler of Next.js:
 * `export const GET = rateLimit({ limiter, policy, subjects })(handler)`. A lease is held until the handler has
 * returned or the signal of the request aborts.
 */
export function rateLimit<const P extends NamedPolicy>(options: FetchLimitOptions<P>) {
  if (options?.subjects === undefined) {
    const fix = 'Use a function of the request, which has no peer: subjects: (request) => ({ user }).';
    throw new LimiterOptionError('subjects', undefined, fix, 'rateLimit');
  }
  const answerRequest = createAnswerRequest<P, Request>(options, { known: REQUEST_OPTIONS, rateLimit });

  return function limitHandler<Rest extends unknown[]>(
    handler: Handler<Rest>,
  ): (request: Request, ...rest: Rest) => Promise<Response> {
    return async function limitedHandler(request, ...rest) {
      if (isPreflight(request.method, request.headers.get('access-control-request-method'))) {
        return handler(request, ...rest);
      }
      const answer = await answerRequest(request, { end: endOfRequest(request) });
      if (!answer?.proceeds) return createResponse(answer);
      try {
        return withHeaders(await handler(request, ...rest), answer.headers);
      } finally {
        answer.release?.();
      }
    };
  };
}

/** Returns a response with more headers. Those of a redirect or of a fetched response cannot be changed. */
function withHeaders(response: Response, added: Record<string, string>): Response {
  const headers = new Headers(response.headers);
  addHeaders(headers, added);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
