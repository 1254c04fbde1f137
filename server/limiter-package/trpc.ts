import type { IncomingHttpHeaders } from 'node:http';
import type { TRPCError } from '@trpc/server';
import { createClientAddress } from '../limiter/client-address';
import { rateLimitHeaders } from '../limiter/headers';
import { type RateLimitContext, rateLimitErrorData } from '../limiter/trpc';
import { deciding, type Limiter } from './named-limiter';

export { ProcedureError, policiesOf } from '../limiter/policies-of';
export { keyedBy, type Policy } from '../limiter/policy';
export type { RateLimitErrorData } from '../limiter/refusal';
export { shared } from '../limiter/shared-levels';
export {
  type ChargeExcluded,
  type RateLimitContext,
  RateLimitedError,
  rateLimit,
  rateLimitErrorData,
  unlimited,
} from '../limiter/trpc';

export interface TrpcLimitsOptions {
  limiter: Limiter;
  /** Addresses or CIDR ranges of the proxies in front of the server. Default: none. */
  trustedProxies?: readonly string[];
}

/** The caller of a request. */
export interface TrpcCaller {
  user?: string | undefined;
  ip?: string | undefined;
  /** The language of refusal texts. Default: `en`. */
  language?: string | undefined;
}

/** The parts of a Node request that determine the address of its caller. */
interface NodeRequest {
  socket: { remoteAddress?: string | undefined };
  headers: IncomingHttpHeaders;
}

/** The parts of a tRPC server besides `rateLimit(policy)`: its context, its error formatter and its response headers. */
export interface TrpcLimits {
  /** Returns the context of a request of a Node server, with the address of its caller. */
  createContext(options: { req: NodeRequest }, caller?: Omit<TrpcCaller, 'ip'>): RateLimitContext;
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

/** Connects a limiter to a tRPC server. */
export function createTrpcLimits({ limiter, trustedProxies = [] }: TrpcLimitsOptions): TrpcLimits {
  const clientAddress = createClientAddress({ trustedProxies });
  const contextOf: TrpcLimits['contextOf'] = ({ user, ip, language = 'en' }) => ({
    rateLimit: { limiter: limiter[deciding], caller: { user, ip }, language, decisions: [] },
  });
  return {
    contextOf,
    createContext: ({ req }, caller) => contextOf({ ...caller, ip: clientAddress(req) }),
    errorFormatter: ({ shape, error }) => ({
      ...shape,
      data: { ...shape.data, ...rateLimitErrorData(error) },
    }),
    responseMeta: ({ ctx }) => ({ headers: rateLimitHeaders(ctx?.rateLimit.decisions ?? []) }),
  };
}
