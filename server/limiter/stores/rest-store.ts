import { describeSecret, LimiterOptionError, type OptionNames, rejectUnknownOptions } from '../options';
import { createScriptHost } from './command-host';
import { areRequestsIsolated } from './event-loop';
import { createRedisStore } from './redis-store';
import type { Store } from './store';
import { replyCodeOf, StoreReplyError, StoreUnavailableError } from './store-error';

export interface RestStoreOptions {
  /** The address of the REST API, by `https:` or `http:`: `UPSTASH_REDIS_REST_URL`. */
  url: string;
  /** The token of the API, with the right to write: `UPSTASH_REDIS_REST_TOKEN`. */
  token: string;
}

/** Frees the connection of a request without a reply. The timeout of a limiter is shorter, unless it was raised. */
const REQUEST_TIMEOUT_MS = 5_000;

/** Next.js before 15 caches a `fetch` without it. Cloudflare caches no POST, and its older releases refuse the field. */
const cache: RequestInit = areRequestsIsolated ? {} : { cache: 'no-store' };

/**
 * Creates the store on a Redis behind the REST API of Upstash: one request by the global `fetch` for each batch, which is
 * never sent twice. It runs scripts and no functions, which would save less than the variance of a request.
 */
export function restStore(options: RestStoreOptions): Store {
  const { url, token } = validate(options);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  async function post(words: string[]): Promise<unknown> {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    let status: number;
    let text: string;
    try {
      // Deno sends a text again if the server closes a kept connection without a reply, but no Blob.
      const body = new Blob([JSON.stringify(words)]);
      // A redirect would be followed by a second request.
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal,
        ...cache,
      });
      ({ status } = response);
      text = await response.text();
    } catch (cause) {
      throw noReply(cause);
    }
    return readResult(status, text);
  }

  const host = createScriptHost(post);
  return createRedisStore((call) => call(host));
}

const OPTIONS: OptionNames<RestStoreOptions> = { url: true, token: true };

function validate(options: RestStoreOptions): RestStoreOptions {
  rejectUnknownOptions('restStore', options, OPTIONS);
  const { url, token } = options;
  const invalid = (field: keyof RestStoreOptions, value: unknown, fix: string) =>
    new LimiterOptionError(field, value, fix, 'restStore');
  if (!isHttpUrl(url)) {
    const fix = 'Use the https: address of the REST API, without a user, as in UPSTASH_REDIS_REST_URL.';
    // An address of Redis may have a password.
    throw invalid('url', String(url).includes('@') ? describeSecret(url) : url, fix);
  }
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    const fix = 'Use the text of UPSTASH_REDIS_REST_TOKEN, without spaces and line breaks.';
    throw invalid('token', describeSecret(token), fix);
  }
  return options;
}

/** True for an address that `fetch` accepts. */
function isHttpUrl(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Returns the error of a request without a reply. Not by `instanceof`: Jest has other classes than its runtime. */
function noReply(cause: unknown): Error {
  const { name, message = String(cause), cause: reason }: Partial<Error> = Object(cause);
  if (name === 'TimeoutError') {
    const text = `the REST server did not reply within ${REQUEST_TIMEOUT_MS} ms`;
    return new StoreUnavailableError(text, { cause, kind: 'timeout' });
  }
  // Node says "fetch failed", and why in the cause.
  const { message: why = message }: Partial<Error> = Object(reason);
  return new Error(`the REST server cannot be reached: ${why}`, { cause });
}

/** The codes by which Redis would refuse the token of a request. */
const CODES: Partial<Record<number, string>> = { 401: 'WRONGPASS', 403: 'NOPERM' };

/** Returns the result in a response: `{"result": …}`. Throws the error reply in it, and for any other response. */
function readResult(status: number, text: string): unknown {
  const answer = `the REST server answered ${status}: ${text.slice(0, 200)}`;
  // A server or its proxy without Redis.
  if (status >= 500) throw new Error(answer);
  const { result, error } = parseObject(text);
  if (status === 200 && result !== undefined) return result;
  if (typeof error !== 'string' && status < 400) throw new TypeError(answer);
  const message = typeof error === 'string' ? error : answer;
  const code = replyCodeOf(new Error(message)) === undefined ? CODES[status] : undefined;
  throw new StoreReplyError(code ? `${code} ${message}` : message);
}

function parseObject(text: string): { result?: unknown; error?: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
