import type { Decision, Refused } from '../decide/decision';
import type { CallOf, Limiter } from '../limiter';
import { validateLimiter } from '../limiter-options';
import { describeType, LimiterOptionError, rejectUnknownOptions } from '../options';
import {
  type NamedPolicy,
  resolveNamedPolicy,
  type StatedCost,
  type SubjectsOf,
} from '../policy/named-policy';
import type { ResolvedPolicy, Subject } from '../policy/policy';
import { PolicyError } from '../policy/validate-policy';
import { lineOfCaller, recordCharge } from './charged-twice';
import { type AddressOrigin, type AddressSource, createFindAddress, hasEnded } from './client-address';
import { type HeaderFormat, rateLimitHeaders, validateHeaderFormat } from './headers';
import { type HeldRequest, holdRequest, type SettleResponse } from './held-request';
import { type ProblemAnswer, refusedAnswer } from './http';
import type { RequestEnd } from './request-end';

/** The options that all adapters have in common. */
export interface HttpLimitOptions<P extends NamedPolicy, Request, Response> {
  limiter: Limiter;
  policy: P;
  /**
   * Returns true for a request that is neither decided nor charged, such as that of a health check. It gets no headers of the
   * limit. May return a promise. If it throws, the request fails. Default: every request is decided.
   */
  skip?: (request: Request) => boolean | Promise<boolean>;
  /**
   * Settles each call at the end of its response, also of a stream. Only for a policy with `settle`, which it replaces.
   * Default: that of the policy, `failures` or `successes`.
   */
  settle?: SettleResponse<Request, Response>;
  /** The header fields of responses. Default: `draft-11`. */
  headers?: HeaderFormat;
  /** Returns the language of the refusal text. Default: `en`. */
  language?: (request: Request) => string;
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

/** The options of any adapter, as this module reads them. */
interface AdapterOptions<P extends NamedPolicy, Request, Response>
  extends HttpLimitOptions<P, Request, Response>,
    AddressSource {
  subjects?: SubjectsReader<P, Request> | undefined;
  onRefused?: unknown;
}

/** The options that every adapter has. */
const COMMON_OPTIONS = {
  limiter: true,
  policy: true,
  subjects: true,
  trustedProxies: true,
  skip: true,
  settle: true,
  onRefused: true,
  headers: true,
  language: true,
} as const;

/** The answer to a request that is admitted or refused. */
type RequestAnswer<Response> =
  | { proceeds: true; headers: Record<string, string>; held: HeldRequest<Response> | undefined }
  | RefusedAnswer;

/** The answer to a request that does not proceed. */
export interface RefusedAnswer extends ProblemAnswer {
  proceeds: false;
  /** `undefined` if the store is unavailable, and for a request id with another input. */
  refusal: Refused | undefined;
}

/**
 * Decides a request. An admitted one proceeds after its delay. It holds its lease until it ends, or `held` is released or
 * ended, and its reservation until `held` is ended. `undefined`: the request has ended, so its handler must not run. Errors
 * that are no answer are mistakes in the program, and are thrown.
 */
type AnswerRequest<Request, Response> = (
  request: Request,
  connection: { end: RequestEnd } & AddressOrigin,
) => Promise<RequestAnswer<Response> | undefined>;

/** Creates the function that answers the requests of an adapter. Throws for invalid options. */
export function createAnswerRequest<P extends NamedPolicy, Request extends object, Response>(
  options: AdapterOptions<P, Request, Response>,
  adapter: {
    /** The function of the adapter that received the options, whose line a warning names. */
    rateLimit: (options: never) => unknown;
    /** Only of an adapter for runtimes without a socket: the name of its own option. */
    known?: { addressHeader: true };
  },
): AnswerRequest<Request, Response> {
  rejectUnknownOptions('rateLimit', options, { ...COMMON_OPTIONS, ...adapter.known });
  validateOptions(options);
  const { limiter, policy, skip, language, headers: format } = options;
  const resolved = resolveNamedPolicy(policy);
  const settle = readSettle(resolved, options.settle);
  const readCall = createReadCall(options, resolved);
  const line = lineOfCaller(adapter.rateLimit);

  return async function answerRequest(request, connection) {
    if (skip && (await skip(request))) return { proceeds: true, headers: {}, held: undefined };
    const { end } = connection;
    const call = await readCall(request, connection);
    if (!call) return undefined;
    recordCharge(request, { limiter, policy: resolved.name, line });
    const outcome: Decision | Error = await limiter.check<P>(policy, call).catch((error: Error) => error);
    if (!('allowed' in outcome) || !outcome.allowed) {
      const refusal = 'allowed' in outcome ? outcome : undefined;
      const texts = { policy: resolved, language: refusal && language?.(request), format };
      return Object.assign(refusedAnswer(outcome, texts), { proceeds: false as const, refusal });
    }
    const held = holdRequest(limiter, outcome, { request, settle });
    if (held) end.onEnd(held.release);
    if (outcome.delayMs > 0) await delayStart(outcome.delayMs, end);
    if (!end.hasEnded()) return { proceeds: true, headers: rateLimitHeaders([outcome], format), held };
    held?.release();
    return undefined;
  };
}

function validateOptions<P extends NamedPolicy, Request, Response>(
  options: AdapterOptions<P, Request, Response>,
): void {
  validateLimiter(options.limiter, 'rateLimit');
  validateHeaderFormat('rateLimit', options.headers);
  for (const name of ['subjects', 'skip', 'language', 'onRefused'] as const) {
    if (options[name] === undefined || typeof options[name] === 'function') continue;
    throw new LimiterOptionError(name, options[name], 'Use a function of the request.', 'rateLimit');
  }
}

/** Returns the way in which calls settle. Throws a `LimiterOptionError` if the policy reserves nothing, or cannot say how. */
function readSettle<Request, Response>(
  policy: ResolvedPolicy<never>,
  settle: SettleResponse<Request, Response> | undefined,
): SettleResponse<Request, Response> | undefined {
  const reject = (fix: string): never => {
    throw new LimiterOptionError('settle', settle, fix, 'rateLimit');
  };
  if (settle === undefined) {
    if (policy.settle === undefined || isWord(policy.settle)) return policy.settle;
    return reject(
      `The settle of policy "${policy.name}" does not say how a response settles. Use settle: "failures", "successes" or (response) => units.`,
    );
  }
  if (!isWord(settle) && typeof settle !== 'function')
    return reject('Use "failures", "successes" or a function of the response.');
  if (policy.settle !== undefined) return settle;
  return reject(`Policy "${policy.name}" reserves nothing. Add settle: "units" to the policy.`);
}

function isWord(settle: unknown): settle is 'failures' | 'successes' {
  return settle === 'failures' || settle === 'successes';
}

/** Creates the function that reads the subjects of requests, and the address of the caller if the policy counts by it. */
function createReadCall<P extends NamedPolicy, Request, Response>(
  options: AdapterOptions<P, Request, Response>,
  { name, levels }: ResolvedPolicy<never>,
) {
  const { subjects } = options;
  const countsAddress = levels.some(({ level }) => level === 'ip');
  const findAddress = createFindAddress(options, options.limiter.ipv6Prefix);

  /** Returns `undefined` if the connection of a request has ended, so that no caller receives the answer. */
  return async function readCall(request: Request, origin: AddressOrigin): Promise<CallOf<P> | undefined> {
    // Read first: the address of a connection is gone with it, that of a Unix socket comes from its proxy.
    const { peer } = origin;
    const isConnected = !peer || peer.socket.remoteAddress !== undefined;
    const ip = countsAddress && isConnected ? findAddress(origin) : undefined;
    const given: unknown = subjects ? await subjects(request) : {};
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      const fix = 'Return an object with the name and the subject of each level, as in { user: "ada" }.';
      // A caller is not written to a log.
      throw new PolicyError(name, { field: 'the result of subjects', value: describeType(given), fix });
    }
    if (!countsAddress || 'ip' in given) return given as CallOf<P>;
    if (peer && ip === undefined && hasEnded(peer.socket)) return undefined;
    // Not by a spread, which is slow.
    const call: unknown = Object.assign({ ip: ip ?? findAddress(origin) }, given);
    return call as CallOf<P>;
  };
}

/** Waits for the start of a call in a leaky bucket, or for the end of its request. */
async function delayStart(delayMs: number, end: RequestEnd): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    end.onEnd(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Returns true for a CORS preflight, which browsers send before the call of a page of another site. It is not charged. */
export function isPreflight(method: string, requestedMethod: string | null | undefined): boolean {
  return method === 'OPTIONS' && Boolean(requestedMethod);
}

/**
 * Adds the headers of an answer to those of a response. A second limit appends its items to those of the first; of the legacy
 * headers, the tighter limit stays.
 */
export function addHeaders(
  headers: { get(name: string): unknown; set(name: string, value: string): unknown },
  added: Record<string, string>,
): void {
  const remaining = headers.get('x-ratelimit-remaining') ?? Number.POSITIVE_INFINITY;
  const isTighter = Number(remaining) < Number(added['x-ratelimit-remaining']);
  for (const [name, value] of Object.entries(added)) {
    if (isTighter && name.startsWith('x-ratelimit')) continue;
    const present = name.startsWith('ratelimit') ? headers.get(name) : undefined;
    headers.set(name, present ? `${present}, ${value}` : value);
  }
}
