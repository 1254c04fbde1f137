import type { Admitted, Decision, Refused } from '../decide/decision';
import { holdLease } from '../decide/lease';
import { type RateLimitErrorData, refusalData, refusalText } from '../decide/refusal';
import { RequestIdConflictError } from '../decide/request-id';
import type { CallOf, Limiter } from '../limiter';
import { validateLimiter } from '../limiter-options';
import { LimiterOptionError, type OptionNames, rejectUnknownOptions } from '../options';
import {
  type NamedPolicy,
  resolveNamedPolicy,
  type StatedCost,
  type SubjectsOf,
} from '../policy/named-policy';
import type { Subject } from '../policy/policy';
import { PolicyError } from '../policy/validate-policy';
import { StoreUnavailableError } from '../stores/store-error';
import { lineOfCaller, recordCharge } from './charged-twice';
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

/** The options of an adapter that knows the peer of a request. */
export interface PeerLimitOptions<P extends NamedPolicy, Request> extends HttpLimitOptions<P, Request> {
  /** Addresses or CIDR ranges of the proxies in front of the server, `unix` for those of a Unix socket. Default: none. */
  trustedProxies?: readonly string[];
}

/** The call of a request whose adapter finds the address of the caller; `subjects` may return another `ip`. */
export type AddressedCall<P extends NamedPolicy> = Omit<CallOf<P>, 'ip'> & { ip?: Subject };

/** `subjects` is required if the policy counts by more than the address, or if its calls state their cost. */
export type SubjectsOption<P extends NamedPolicy, Request> = keyof Omit<
  SubjectsOf<P> & StatedCost<P>,
  'ip'
> extends never
  ? { subjects?: SubjectsReader<P, Request> }
  : { subjects: SubjectsReader<P, Request> };

export type SubjectsReader<P extends NamedPolicy, Request> = (
  request: Request,
) => AddressedCall<P> | Promise<AddressedCall<P>>;

/** The options from which adapters read a call. */
interface CallerOptions<P extends NamedPolicy, Request> {
  subjects?: SubjectsReader<P, Request> | undefined;
  trustedProxies?: readonly string[] | undefined;
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

/** The answer of the limiter to a request. The body is problem details as JSON. */
export type HttpAnswer =
  | { proceeds: true; headers: Record<string, string>; release: (() => void) | undefined }
  | RefusedAnswer;

interface RefusedAnswer {
  proceeds: false;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Decides a request. An admitted request proceeds after its delay, and holds its lease until it ends or `release` is called,
 * which is `undefined` without a lease. The answers are 429, 409 for a request id with another input, and 503 if the store is
 * unavailable and the policy is closed. `undefined`: the request has ended, so its handler must not run. Other errors are
 * mistakes in the policy, and are thrown.
 */
type AnswerRequest<Request> = (
  request: Request,
  /** `peer` is the Node request; `undefined` on runtimes without a socket. */
  connection: { end: RequestEnd; peer?: AddressedRequest | undefined },
) => Promise<HttpAnswer | undefined>;

/** Creates the function that answers the requests of an adapter. Throws for invalid options. */
export function createAnswerRequest<P extends NamedPolicy, Request extends object>(
  options: HttpLimitOptions<P, Request> & CallerOptions<P, Request>,
  adapter: {
    known: OptionNames<typeof options> | OptionNames<Omit<typeof options, 'trustedProxies'>>;
    /** The function of the adapter that received the options, whose line a warning names. */
    rateLimit: (options: never) => unknown;
  },
): AnswerRequest<Request> {
  rejectUnknownOptions('rateLimit', options, adapter.known);
  const readCall = createReadCall(options);
  const line = lineOfCaller(adapter.rateLimit);

  return async function answerRequest(request, { end, peer }) {
    const call = await readCall(request, peer);
    if (!call) return undefined;
    recordCharge(request, { limiter: options.limiter, policy: options.policy.name, line });
    const answer = await decideCall(options, { request, call, end });
    if (!end.hasEnded()) return answer;
    if (answer.proceeds) answer.release?.();
    return undefined;
  };
}

/** Returns the call of a request; `undefined` if its connection has ended, so that no caller receives the answer. */
type ReadCall<P extends NamedPolicy, Request> = (
  request: Request,
  peer: AddressedRequest | undefined,
) => Promise<CallOf<P> | undefined>;

/** Creates the function that reads the subjects of requests, and the address of the caller if the policy counts by it. */
function createReadCall<P extends NamedPolicy, Request>(
  options: HttpLimitOptions<P, Request> & CallerOptions<P, Request>,
): ReadCall<P, Request> {
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
    const call: unknown = Object.assign({ ip: ip ?? clientAddress(peer) }, given);
    return call as CallOf<P>;
  };
}

async function decideCall<P extends NamedPolicy, Request>(
  { limiter, policy, language, onRefused }: HttpLimitOptions<P, Request>,
  { request, call, end }: { request: Request; call: CallOf<P>; end: RequestEnd },
): Promise<HttpAnswer> {
  let decision: Decision;
  try {
    decision = await limiter.check<P>(policy, call);
  } catch (error) {
    return problemAnswer(...problemOf(error));
  }
  const headers = rateLimitHeaders([decision]);
  if (decision.allowed) return { proceeds: true, headers, release: await start(limiter, { decision, end }) };
  onRefused?.(decision, request);
  return problemAnswer(refusalBody(policy, { decision, language: language?.(request) ?? 'en' }), headers);
}

function problemAnswer(problem: Problem, headers: Record<string, string>): RefusedAnswer {
  // Not by a spread, which is slow.
  headers['content-type'] = 'application/problem+json';
  return { proceeds: false, status: problem.status, headers, body: JSON.stringify(problem) };
}

/** Returns the body of a refusal, with the text of the level or else of the policy. */
function refusalBody(
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

/** Returns the problem of an error and its headers. Throws errors that are mistakes in the policy. */
function problemOf(error: unknown): [Problem, Record<string, string>] {
  const type = 'about:blank';
  if (error instanceof RequestIdConflictError) {
    return [{ type, title: 'Conflict', status: 409, detail: error.message }, {}];
  }
  if (!(error instanceof StoreUnavailableError)) throw error;
  const detail = 'This cannot be answered right now. Try again in a moment.';
  return [{ type, title: 'Service Unavailable', status: 503, detail }, { 'retry-after': '1' }];
}

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

/** Returns true for a CORS preflight, which browsers send before the call of a page of another site. It is not charged. */
export function isPreflight(method: string, requestedMethod: string | null | undefined): boolean {
  return method === 'OPTIONS' && Boolean(requestedMethod);
}

/** Adds the headers of an answer to those of a response. A second limit appends its items to those of the first. */
export function addHeaders(
  headers: { get(name: string): unknown; set(name: string, value: string): unknown },
  added: Record<string, string>,
): void {
  for (const [name, value] of Object.entries(added)) {
    const present = name.startsWith('ratelimit') ? headers.get(name) : undefined;
    headers.set(name, present ? `${present}, ${value}` : value);
  }
}

/** Creates the response to a Fetch request that does not proceed. The one to a request that has ended is not sent. */
export function createResponse(answer: RefusedAnswer | undefined): Response {
  return answer ? new Response(answer.body, answer) : new Response(null, { status: 499 });
}
