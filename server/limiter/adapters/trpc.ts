import type { TRPCError } from '@trpc/server';
import type { Limiter } from '../limiter';
import { validateLimiter } from '../limiter-options';
import { type OptionNames, rejectUnknownOptions } from '../options';
import { normalizeAddress } from '../policy/address';
import type { Subject } from '../policy/policy';
import type { Caller } from '../policy/subject';
import { type AddressedRequest, createClientAddress, type TrustedProxies } from './client-address';
import { type HeaderFormat, rateLimitHeaders, validateHeaderFormat } from './headers';
import { type NodeRequest, type NodeResponse, onRequestEnd } from './request-end';
import { rateLimitErrorData } from './trpc-errors';
import type { RateLimitContext } from './trpc-middleware';

export type { RateLimitErrorData } from '../decide/refusal';
export { keyedBy, type Policy } from '../policy/policy';
export { shared } from '../policy/shared-levels';
export type { DecidingLimiter } from './limited-call';
export { declaredPolicies, policiesOf } from './policies-of';
export {
  type DeclaredProcedure,
  errorShapeOf,
  listProcedures,
  middlewaresOf,
  ProcedureError,
} from './read-router';
export { RateLimitedError, rateLimitErrorData, refusalError, toTrpcError } from './trpc-errors';
export {
  type ChargeExcluded,
  type RateLimitContext,
  type RateLimitOptions,
  rateLimit,
  unlimited,
} from './trpc-middleware';

export interface TrpcLimitsOptions {
  limiter: Limiter;
  /** Default: no proxies. */
  trustedProxies?: TrustedProxies;
  /** The header fields of responses. Default: `draft-11`. */
  headers?: HeaderFormat;
}

/** The caller of a request. */
export interface TrpcCaller {
  user?: Subject;
  ip?: Subject;
  /** The language of refusal texts. Default: `en`. */
  language?: string | undefined;
}

/** A request of a Node server, or Fastify's, with the parts that determine the address of its caller. */
interface ServerRequest extends NodeRequest, Pick<AddressedRequest, 'headers'> {
  socket: NodeRequest['socket'] & AddressedRequest['socket'];
  raw?: NodeRequest;
}

/** The parts of a tRPC server besides `rateLimit(policy)`: its context, its error formatter and its response headers. */
export interface TrpcLimits {
  /** Returns the context of a request of a Node server, with the address of its caller and its end. */
  createContext(
    options: { req: ServerRequest; res?: object },
    caller?: Omit<TrpcCaller, 'ip'>,
  ): RateLimitContext;
  /** Returns the context of any other caller, such as a Fetch request or a job. */
  contextOf(caller: TrpcCaller): RateLimitContext;
  /** Adds `error.data.rateLimit` to refusals. */
  errorFormatter<Shape extends { data: object }>(options: {
    shape: Shape;
    error: TRPCError;
  }): Shape & { data: Shape['data'] & ReturnType<typeof rateLimitErrorData> };
  /** Sends the headers of all decisions of a request. */
  responseMeta(options: { ctx?: RateLimitContext | undefined }): { headers: Record<string, string> };
}

const TRPC_OPTIONS: OptionNames<TrpcLimitsOptions> = { limiter: true, trustedProxies: true, headers: true };

/** Connects a limiter to a tRPC server. */
export function createTrpcLimits(options: TrpcLimitsOptions): TrpcLimits {
  rejectUnknownOptions('createTrpcLimits', options, TRPC_OPTIONS);
  const { limiter, trustedProxies = [], headers } = options;
  validateLimiter(limiter, 'createTrpcLimits');
  validateHeaderFormat('createTrpcLimits', headers);
  const { ipv6Prefix } = limiter;
  const clientAddress = createClientAddress({ trustedProxies, ipv6Prefix });
  const createContext = (caller: Caller, language = 'en'): RateLimitContext => ({
    rateLimit: { limiter, caller, language, decisions: [] },
  });
  return {
    contextOf(caller) {
      rejectUnknownOptions('contextOf', caller, { user: true, ip: true, language: true });
      const { user, ip, language } = caller;
      // The level `ip` reports what is no address.
      const counted = typeof ip === 'string' ? (normalizeAddress(ip, { ipv6Prefix }) ?? ip) : ip;
      return createContext({ user, ip: counted }, language);
    },
    createContext({ req, res }, named = {}) {
      rejectUnknownOptions('createContext', named, { user: true, language: true });
      const { user, language } = named;
      // The address of a connection is gone with it. That of a Unix socket comes from its proxy, and is read only for a
      // procedure that counts by address.
      const address = req.socket.remoteAddress === undefined ? undefined : clientAddress(req);
      const caller = {
        user,
        get ip() {
          return address ?? clientAddress(req);
        },
      };
      const context = createContext(caller, language);
      const response = res && ('raw' in res ? res.raw : res);
      if (isNodeResponse(response)) context.rateLimit.signal = createEndSignal(req.raw ?? req, response);
      return context;
    },
    errorFormatter: ({ shape, error }) => ({
      ...shape,
      data: { ...shape.data, ...rateLimitErrorData(error) },
    }),
    responseMeta: ({ ctx }) => ({ headers: rateLimitHeaders(ctx?.rateLimit.decisions ?? [], headers) }),
  };
}

/** Returns true for the response of an HTTP request. That of a web socket is the connection, and its calls end before. */
function isNodeResponse(response: unknown): response is NodeResponse {
  return typeof response === 'object' && response !== null && 'headersSent' in response;
}

/** Returns a signal that aborts when the request ends. tRPC's own signal misses requests that a client pipelines. */
function createEndSignal(req: NodeRequest, res: NodeResponse): AbortSignal {
  const controller = new AbortController();
  // The default reason is an error with a stack, for each request.
  onRequestEnd(req, res, () => controller.abort('The request has ended.'));
  return controller.signal;
}
