import type { Decision, Refused } from '../decide/decision';
import { type RateLimitErrorData, refusalData, refusalText } from '../decide/refusal';
import { RequestIdConflictError } from '../decide/request-id';
import { type OptionNames, rejectUnknownOptions } from '../options';
import { DEFAULT_MESSAGE, type ReadablePolicy, resolveReadablePolicy } from '../policy/named-policy';
import type { ResolvedPolicy } from '../policy/policy';
import { StoreUnavailableError } from '../stores/store-error';
import { type HeaderFormat, rateLimitHeaders, validateHeaderFormat } from './headers';

/** The body of a refusal: problem details (RFC 9457) with the data of the refusal. */
export interface RefusalBody extends Problem {
  status: 429;
  rateLimit: RateLimitErrorData;
}

/** Problem details (RFC 9457), sent as `application/problem+json`. */
export interface Problem {
  type: string;
  title: string;
  status: 409 | 429 | 503;
  detail: string;
}

/** The answer of the limiter to a request. The names of headers are in lower case. */
export type HttpAnswer = AdmittedAnswer | ProblemAnswer;

interface AdmittedAnswer {
  /** The response may have another one. */
  status: 200;
  /** Those of the response. */
  headers: Record<string, string>;
  body: undefined;
}

/** The answer to a request that is not admitted. */
export interface ProblemAnswer {
  status: Problem['status'];
  headers: Record<string, string>;
  /** Problem details as JSON. */
  body: string;
}

export interface AnswerOptions {
  /** The policy of the decision, which has the text of a refusal. Default: an English sentence. */
  policy?: ReadablePolicy;
  /** The language of the text. Default: `en`. */
  language?: string;
  /** Default: `draft-11`. */
  headers?: HeaderFormat;
}

const OPTIONS: OptionNames<AnswerOptions> = { policy: true, language: true, headers: true };

/**
 * Returns the answer to a request, for a framework that has no adapter: `answerOf(await limiter.check(policy, call))`. The
 * status is 200 for an admitted call, 429 for a refusal, and for an error of `check` 503 if the store is unavailable or 409
 * for a request id with another input. Throws any other error, which is a mistake in the program.
 */
export function answerOf(outcome: Decision | Error, options: AnswerOptions = {}): HttpAnswer {
  rejectUnknownOptions('answerOf', options, OPTIONS);
  const { policy, language, headers } = options;
  validateHeaderFormat('answerOf', headers);
  if ('allowed' in outcome && outcome.allowed)
    return { status: 200, headers: rateLimitHeaders([outcome], headers), body: undefined };
  const text = { policy: policy && resolveReadablePolicy(policy), language };
  const answer = refusedAnswer(outcome, { ...text, format: headers });
  answer.headers['content-type'] = PROBLEM_TYPE;
  return answer;
}

export const PROBLEM_TYPE = 'application/problem+json';

/** A policy without texts of its own. */
const UNNAMED = { levels: [], message: DEFAULT_MESSAGE };

/** Returns the answer to a request that is not admitted, without `content-type`. */
export function refusedAnswer(
  outcome: Refused | Error,
  texts: {
    policy?: Pick<ResolvedPolicy, 'levels' | 'message'> | undefined;
    language?: string | undefined;
    format?: HeaderFormat | undefined;
  },
): ProblemAnswer {
  const { policy = UNNAMED, language = 'en', format } = texts;
  if (!('allowed' in outcome)) return problemAnswer(...problemOf(outcome));
  const body = refusalBody(outcome, refusalText(policy, { decision: outcome, language }));
  return problemAnswer(body, rateLimitHeaders([outcome], format));
}

function problemAnswer(problem: Problem, headers: Record<string, string>): ProblemAnswer {
  return { status: problem.status, headers, body: JSON.stringify(problem) };
}

function refusalBody(decision: Refused, detail: string): RefusalBody {
  return {
    // Registered by draft-ietf-httpapi-ratelimit-headers-11.
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: 'Too Many Requests',
    status: 429,
    detail,
    rateLimit: refusalData(decision),
  };
}

/** Returns the problem of an error and its headers. Throws errors that are mistakes in the program. */
function problemOf(error: unknown): [Problem, Record<string, string>] {
  const type = 'about:blank';
  if (error instanceof RequestIdConflictError)
    return [{ type, title: 'Conflict', status: 409, detail: error.message }, {}];
  if (!(error instanceof StoreUnavailableError)) throw error;
  const detail = 'This cannot be answered right now. Try again in a moment.';
  return [{ type, title: 'Service Unavailable', status: 503, detail }, { 'retry-after': '1' }];
}
