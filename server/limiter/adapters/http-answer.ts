import type { Admitted, Refused } from '../decide/decision';
import { holdLease } from '../decide/lease';
import { type RateLimitErrorData, refusalData, refusalText } from '../decide/refusal';
import { RequestIdConflictError } from '../decide/request-id';
import type { CallOf, Limiter, NamedDecision } from '../limiter';
import { validateLimiter } from '../limiter-options';
import { LimiterOptionError, type OptionNames, rejectUnknownOptions } from '../options';
import { type NamedPolicy, resolveNamedPolicy, type SubjectsOf } from '../policy/named-policy';
import type { Subject } from '../policy/policy';
import { PolicyError } from '../policy/validate-policy';
import { StoreUnavailableError } from '../stores/store-error';
import { recordCharge } from './charged-twice';
import { type AddressedRequest, createClientAddress, hasEnded } from './client-address';
import { rateLimitHeaders } from './headers';
import { isRequestEnded, type NodeRequest, type NodeResponse, onRequestEnd } from './request-end';

/** The options that all adapters have in common. */
export interface HttpLimitOptions<P extends NamedPolicy, Request> {
  limiter: Limiter;
  policy: P;
  /** Returns the language of the refusal text. Default: `en`. */
  language?: (request: Request) => string;
  /** Receives every refusal, for logs. Must not throw. */
  onRefused?: (decision: Refused, request: Request) => void;
}

/** The call of a request whose adapter finds the address of the caller; `subjects` may return another `ip`. */
export type AddressedCall<P extends NamedPolicy> = Omit<CallOf<P>, 'ip'> & { ip?: Subject };

/** `subjects` is required if the policy counts by more than the address. */
export type SubjectsOption<P extends NamedPolicy, Request> = keyof Omit<SubjectsOf<P>, 'ip'> extends never
  ? { subjects?: SubjectsReader<P, Request> }
  : { subjects: SubjectsReader<P, Request> };

export type SubjectsReader<P extends NamedPolicy, Request> = (
  request: Request,
) => AddressedCall<P> | Promise<AddressedCall<P>>;

/** Returns the call of a request; `undefined` if its connection has ended, so that no caller receives the answer. */
type ReadCall<P extends NamedPolicy, Request> = (
  request: Request,
  /** The Node request; `undefined` on runtimes without a socket. */
  peer?: AddressedRequest,
) => Promise<CallOf<P> | undefined>;

/** Creates the function that reads the subjects of requests, and the address of the caller if the policy counts by it. */
export function createReadCall<P extends NamedPolicy, Request>(
  options: HttpLimitOptions<P, Request> & CallerOptions<P, Request>,
  known: OptionNames<typeof options> | OptionNames<Omit<typeof options, 'trustedProxies'>>,
): ReadCall<P, Request> {
  rejectUnknownOptions('rateLimit', options, known);
  const { limiter, policy, subjects, trustedProxies = [] } = options;
  validateLimiter(limiter, 'rateLimit');
  for (const name of ['subjects', 'language', 'onRefused'] as const) {
    if (options[name] === undefined || typeof options[name] === 'function') continue;
    throw new LimiterOptionError(name, options[name], 'Use a function of the request.', 'rateLimit');
  }
  const { name, levels } = resolveNamedPolicy(policy);
  const countsAddress = levels.some(({ level }) => level === 'ip');
  const clientAddress = createClientAddress({ trustedProxies, ipv6Prefix: limiter.ipv6Prefix });

  return async function readCall(request, peer) {
    // Read first: the address of a connection is gone with it, that of a Unix socket comes from its proxy.
    const ip = peer?.socket.remoteAddress !== undefined && countsAddress ? clientAddress(peer) : undefined;
    const given: unknown = subjects ? await subjects(request) : {};
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      const fix = 'Return an object with the name and the subject of each level, as in { user: "ada" }.';
      // A caller is not written to a log.
      const value = given === null || given === undefined ? given : typeof given;
      throw new PolicyError(name, { field: 'the result of subjects', value, fix });
    }
    if (!peer || !countsAddress || 'ip' in given) return given as CallOf<P>;
    if (ip === undefined && hasEnded(peer.socket)) return undefined;
    // Not by a spread, which is slow.
    return Object.assign({ ip: ip ?? clientAddress(peer) }, given) as CallOf<P>;
  };
}

/** The options of an adapter that reads a `Request`. */
export const REQUEST_OPTIONS = {
  limiter: true,
  policy: true,
  subjects: true,
  language: true,
  onRefused: true,
} as const;

/** The options of an adapter that knows the peer. */
export const PEER_OPTIONS = { ...REQUEST_OPTIONS, trustedProxies: true } as const;

/** The options from which adapters read a call. */
interface CallerOptions<P extends NamedPolicy, Request> {
  subjects?: SubjectsReader<P, Request> | undefined;
  trustedProxies?: readonly string[] | undefined;
}

/** The body of a refusal: problem details (RFC 9457) with the data of the refusal. */
export interface RefusalBody extends Problem {
  status: 429;
  rateLimit: RateLimitErrorData;
}

/** Problem details (RFC 9457), sent as `application/problem+json`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
}

export const PROBLEM_JSON = 'application/problem+json';

/** The answer of the limiter to a request. */
export type HttpAnswer =
  | { proceeds: true; headers: Record<string, string>; release: (() => void) | undefined }
  | { proceeds: false; headers: Record<string, string>; body: Problem | RefusalBody };

/** The end of a request: its response was sent, or its caller has disconnected. */
export interface RequestEnd {
  hasEnded(): boolean;
  /** Calls `callback` when the request ends, at once if it has ended. */
  onEnd(callback: () => void): void;
}

/** Returns the end of a Node request. It has ended for the limit as soon as another handler has begun the response. */
export function endOfNodeRequest(
  req: NodeRequest,
  res: NodeResponse & { readonly headersSent: boolean },
): RequestEnd {
  return {
    hasEnded: () => res.headersSent || isRequestEnded(req, res),
    onEnd: (callback) => onRequestEnd(req, res, callback),
  };
}

/** Returns the end of a Fetch request, which its signal reports. */
export function endOfRequest({ signal }: Pick<Request, 'signal'>): RequestEnd {
  return {
    hasEnded: () => signal.aborted,
    onEnd(callback) {
      if (signal.aborted) callback();
      else signal.addEventListener('abort', callback, { once: true });
    },
  };
}

/** Creates the answer to a Fetch request that has ended, which is not sent. */
export const createEndedResponse = () => new Response(null, { status: 499 });

/** Returns true for a CORS preflight, which browsers send before the call of a page of another site. It is not charged. */
export function isPreflight(method: string, requestedMethod: string | null | undefined): boolean {
  return method === 'OPTIONS' && Boolean(requestedMethod);
}

/** A request, the call that it makes, and the line that created its middleware. */
interface LimitedRequest<P extends NamedPolicy, Request> {
  request: Request;
  call: CallOf<P>;
  line: string;
  end: RequestEnd;
}

/**
 * Decides a request. An admitted request proceeds after its delay, and holds its lease until it ends or `release` is called,
 * which is `undefined` without a lease. The answers are 429, 409 for a request id with another input, and 503 if the store is
 * unavailable and the policy is closed. `undefined`: the request has ended, so its handler must not run. Other errors are
 * mistakes in the policy, and are thrown.
 */
export async function answerRequest<P extends NamedPolicy, Request extends object>(
  options: HttpLimitOptions<P, Request>,
  limited: LimitedRequest<P, Request>,
): Promise<HttpAnswer | undefined> {
  const answer = await decideRequest(options, limited);
  if (!limited.end.hasEnded()) return answer;
  if (answer.proceeds) answer.release?.();
  return undefined;
}

async function decideRequest<P extends NamedPolicy, Request extends object>(
  { limiter, policy, language, onRefused }: HttpLimitOptions<P, Request>,
  { request, call, line, end }: LimitedRequest<P, Request>,
): Promise<HttpAnswer> {
  recordCharge(request, { limiter, policy: policy.name, line });
  let decision: NamedDecision;
  try {
    decision = await limiter.check<P>(policy, call);
  } catch (error) {
    return { proceeds: false, ...problemOf(error) };
  }
  const headers = rateLimitHeaders([decision]);
  if (decision.allowed) return { proceeds: true, headers, release: await start(limiter, { decision, end }) };
  onRefused?.(decision, request);
  const body = refusalBody(policy, { decision, language: language?.(request) ?? 'en' });
  return { proceeds: false, headers, body };
}

/** Returns the body of a refusal, with the text of the level or else of the policy. */
export function refusalBody(
  policy: NamedPolicy,
  { decision, language }: { decision: Refused; language: string },
): RefusalBody {
  return {
    // Registered by draft-ietf-httpapi-ratelimit-headers-11.
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: 'Too Many Requests',
    status: 429,
    detail: refusalText(resolveNamedPolicy(policy), { decision, language }),
    rateLimit: refusalData(decision),
  };
}

/** Holds the lease of an admitted request until its end, and waits for its start. */
async function start(
  limiter: Limiter,
  { decision: { delayMs, lease }, end }: { decision: Admitted; end: RequestEnd },
): Promise<(() => void) | undefined> {
  const release = lease && holdLease(limiter, lease);
  if (release) end.onEnd(release);
  if (delayMs > 0) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      end.onEnd(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
  return release;
}

function problemOf(error: unknown): { headers: Record<string, string>; body: Problem } {
  if (error instanceof RequestIdConflictError) {
    const body = { type: 'about:blank', title: 'Conflict', status: 409, detail: error.message };
    return { headers: {}, body };
  }
  if (!(error instanceof StoreUnavailableError)) throw error;
  const detail = 'This cannot be answered right now. Try again in a moment.';
  return {
    headers: { 'retry-after': '1' },
    body: { type: 'about:blank', title: 'Service Unavailable', status: 503, detail },
  };
}

/** Returns the value of a header to which a second limit adds its items. */
export function joinHeader(name: string, value: string, present: unknown): string {
  return name.startsWith('ratelimit') && present ? `${present}, ${value}` : value;
}
