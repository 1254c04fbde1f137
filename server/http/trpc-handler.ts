import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AnyTRPCRouter, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError, resolveResponse } from '@trpc/server/http';
import { errorShapeOf, rateLimitErrorData } from '../limiter/adapters/trpc';
import { onRequestEnd, rateLimitHeaders } from '../limiter/index';
import type { Log, LoggedRefusal } from '../observability/log';
import { isForeignOrigin } from './origin';
import type { RequestContext } from './request-context';
import {
  acceptsJsonLines,
  createJsonRequest,
  encodeJsonLines,
  isJsonType,
  type JsonLines,
  MAX_BODY_BYTES,
  MAX_CALLS_PER_REQUEST,
  readBody,
  TRPC_PREFIX,
} from './trpc-protocol';
import { nameUser } from './user-header';

/**
 * Creates the handler of `/api/trpc/*`. It refuses requests that no procedure can answer (method, foreign origin, body too
 * large or not JSON) in tRPC's format, without a charge, and passes all others to tRPC. It sends complete answers, so
 * subscriptions are not supported.
 */
export function createTrpcHandler(options: {
  router: AnyTRPCRouter;
  requestContext: RequestContext;
  /** The origin of the product's pages. Without it, Origin is compared with Host. */
  publicOrigin: string | undefined;
  log: Pick<Log, 'error'>;
  /** Called with the error of each call that was answered with 503. */
  observeStoreError?: ((error: Error) => void) | undefined;
  logRefusal: (refusal: LoggedRefusal) => void;
}): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const { router, requestContext, publicOrigin, log, logRefusal, observeStoreError } = options;

  function refuse(res: ServerResponse, code: TRPCError['code'], message: string): void {
    const error = new TRPCError({ code, message });
    res.writeHead(getHTTPStatusCodeFromError(error), { 'content-type': 'application/json' });
    res.end(JSON.stringify({ error: errorShapeOf(router, { error }) }));
  }

  return async function trpcHandler(req, res) {
    if (!isKnownMethod(req.method)) {
      res.setHeader('allow', 'GET, HEAD, POST');
      return refuse(res, 'METHOD_NOT_SUPPORTED', 'Queries are called with GET, mutations with POST.');
    }
    let body: string | undefined;
    if (req.method === 'POST') {
      if (isForeignOrigin(req.headers, publicOrigin)) {
        return refuse(res, 'FORBIDDEN', 'This call comes from a page of another site.');
      }
      if (!isJsonType(req.headers['content-type'])) {
        return refuse(res, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
      }
      const read = await readBody(req, MAX_BODY_BYTES);
      if ('refused' in read) {
        if (read.refused === 'aborted') return;
        return refuse(res, 'PAYLOAD_TOO_LARGE', `A body may have up to ${MAX_BODY_BYTES} bytes.`);
      }
      body = read.text;
    }

    const response = await resolveResponse({
      req: createJsonRequest(req, { body, signal: createAbortSignal(req, res) }),
      router,
      path: readProcedurePath(req.url),
      error: null,
      maxBatchSize: MAX_CALLS_PER_REQUEST,
      async createContext() {
        const context = await requestContext(req, res);
        nameUser(res, context.user);
        return context;
      },
      responseMeta: ({ ctx }) => ({ headers: rateLimitHeaders(ctx?.rateLimit.decisions ?? []) }),
      onError({ error, path }) {
        const { rateLimit } = rateLimitErrorData(error);
        if (rateLimit) logRefusal(rateLimit);
        if (error.code === 'SERVICE_UNAVAILABLE') observeStoreError?.(error);
        if (error.code === 'INTERNAL_SERVER_ERROR')
          log.error({ err: error.cause ?? error, path }, 'A procedure failed.');
      },
    });
    for (const [name, value] of response.headers) res.setHeader(name, value);
    const text = await response.text();
    const lines = acceptsJsonLines(req.headers) ? encodeBatchLines(text, response.status) : undefined;
    res.statusCode = lines?.status ?? response.status;
    res.end(lines?.body ?? text);
  };
}

/** Encodes the answer of a batch as JSON Lines. Returns `undefined` for a single answer. */
function encodeBatchLines(json: string, status: number): JsonLines | undefined {
  // HEAD has no body.
  const answers: unknown = json === '' ? undefined : JSON.parse(json);
  return Array.isArray(answers)
    ? encodeJsonLines(
        answers.map((answer) => JSON.stringify(answer)),
        status,
      )
    : undefined;
}

function isKnownMethod(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'POST';
}

/** Returns a signal that aborts if the connection closes before the answer is complete. */
function createAbortSignal(req: IncomingMessage, res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  onRequestEnd(req, res, () => {
    if (!res.writableEnded) controller.abort();
  });
  return controller.signal;
}

function readProcedurePath(url = ''): string {
  const end = url.indexOf('?');
  return url.slice(TRPC_PREFIX.length, end === -1 ? undefined : end);
}
