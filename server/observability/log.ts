import { isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import pino, { type DestinationStream, type Level, type Logger } from 'pino';
import { isFloodgateError } from '../limiter/index';

/** The log of the process: one redacted line of JSON per event. */
export type Log = Logger;

export interface LogOptions {
  /** Minimum level of the written lines. */
  level: Level | 'silent';
  /** Receives the lines. Default: standard output. */
  stream?: DestinationStream;
}

/** Creates the log. Nothing else in the product writes to the console. */
export function createLog({ level, stream }: LogOptions): Log {
  const options = {
    level,
    base: null,
    serializers: { err: errorFields },
    hooks: { streamWrite: redactLine },
  };
  return stream ? pino(options, stream) : pino(options);
}

/** The fields of a log line about a refusal. The subject is left out, because it is personal. */
export interface LoggedRefusal {
  policy: string;
  level: string;
  reason: 'limited' | 'banned' | 'blocked';
  /** Null if the level is blocked. */
  retryAfterMs: number | null;
}

/**
 * Creates a sampled log of refusals, so that a flood of calls causes no flood of lines. The first refusal of a level is
 * written at once, then at most one per `everyMs`. `refused` is the number of refusals that a line stands for.
 */
export function createRefusalLog({
  log,
  everyMs = 1000,
  now = Date.now,
}: {
  log: Pick<Log, 'info'>;
  /** Minimum time between two lines of one level, in ms. Default: 1000. */
  everyMs?: number;
  /** Epoch ms. Default: this node's clock. */
  now?: () => number;
}): (refusal: LoggedRefusal) => void {
  const levels = new Map<string, { nextAt: number; refused: number }>();

  return function logRefusal({ policy, level, reason, retryAfterMs }) {
    const name = `${policy}:${level}:${reason}`;
    const sample = levels.get(name) ?? { nextAt: 0, refused: 0 };
    levels.set(name, sample);
    sample.refused += 1;
    if (now() < sample.nextAt) return;
    log.info({ policy, level, reason, retryAfterMs, refused: sample.refused }, 'Calls were refused.');
    sample.nextAt = now() + everyMs;
    sample.refused = 0;
  };
}

/** Fields of an error that hold other errors. */
const CAUSES = new Set(['cause', 'aggregateErrors']);

/**
 * Returns the loggable fields of an error and its causes. Drizzle adds the parameters of a failed statement to message,
 * stack and a field. They may be codes, e-mails and hashes, so they are removed. Other objects on an error are removed
 * too: the client of a broken connection has the password, and refers to itself. An unavailable store has no stack: no code
 * of this process caused it.
 */
export function errorFields(error: Error): object {
  const hidden = isUnavailable(error) ? ['params', 'stack'] : ['params'];
  return shownFields(pino.stdSerializers.errWithCause(error), { hidden, above: [] });
}

/** The kinds of failed calls that a fault of this process may have caused. */
const OWN_FAULTS: ReadonlySet<unknown> = new Set(['script', 'malformed-reply']);

/** The calls of a connection. A failed call with a `path` is one of the file system. */
const CONNECTION_CALLS: ReadonlySet<unknown> = new Set(['connect', 'read', 'write', 'getaddrinfo']);

/** Returns true if an error or one of its causes is a failed connection, or an error reply of Redis. */
function isUnavailable(error: Error): boolean {
  const path = new Set<unknown>();
  for (let cause: unknown = error; cause instanceof Error && !path.has(cause); cause = cause.cause) {
    path.add(cause);
    if ('syscall' in cause && CONNECTION_CALLS.has(cause.syscall) && !('path' in cause)) return true;
    if (isFloodgateError(cause, 'STORE_UNAVAILABLE')) return !('kind' in cause && OWN_FAULTS.has(cause.kind));
  }
  return false;
}

interface Shown {
  /** The names of fields that are left out. */
  hidden: readonly string[];
  /** The enclosing errors, so that a cycle of causes ends. */
  above: readonly object[];
}

function shownFields(fields: object, { hidden, above }: Shown): object {
  const path = [...above, fields];
  const shown = Object.entries(fields)
    .filter(([name, value]) => !hidden.includes(name) && (!isObject(value) || CAUSES.has(name)))
    .map(([name, value]) => [name, shownValue(value, { hidden, above: path })]);
  return Object.fromEntries(shown);
}

function shownValue(value: unknown, shown: Shown): unknown {
  // In a stack, the stack lines follow the parameters. In a message, nothing follows.
  if (typeof value === 'string') return value.replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/g, '');
  if (Array.isArray(value)) return value.map((one) => shownValue(one, shown));
  if (!isObject(value)) return value;
  return shown.above.includes(value) ? undefined : shownFields(value, shown);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const REDACTED = '"[redacted]"';

/*
 * A line may contain text that a visitor chose, so each pattern takes time linear in the length of the line: a lookbehind
 * lets it start only where a run of its characters starts, and no two adjacent quantifiers match the same characters.
 */

/** Fields whose whole value is secret or personal, in any object of a line. */
const SECRET_FIELDS =
  /"(cookie|set-cookie|authorization|password|secret|e-?mail|ip|address|remoteAddress|x-forwarded-for|forwarded)":("(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*"|[^"[\]])*\])/gi;

/**
 * Redacts one line of JSON: cookies and other secrets by the name of their field, and e-mails, addresses and credentials
 * in URLs anywhere, also inside error messages. It works on text, so that neither the depth of an object nor the error
 * fields of a library escape it.
 */
export function redactLine(line: string): string {
  return redactText(line.replace(SECRET_FIELDS, (_all, name: string) => `"${name}":${REDACTED}`));
}

const EMAIL =
  /(?<![\p{L}\d.!#$%&'*+=?^_`{|}~-])[\p{L}\d.!#$%&'*+=?^_`{|}~-]+@(?:[\p{L}\d-]+\.)+\p{L}{2,}(?:[\p{L}\d.!#$%&'*+=?^_`{|}~-]*@(?:[\p{L}\d-]+\.)+\p{L}{2,})*/gu;

const URL_CREDENTIALS = /(\w:\/\/)[^\s/@"]+@/g;

const IPV4_LIKE = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g;

/** A run of the characters of IPv6 addresses, with a colon. */
const IPV6_LIKE = /(?<![\w:.])[\da-f.]*:[\da-f:.]+(?!\w)/gi;

/** Punctuation after an address in a sentence, such as `peer ::1: closed.`. */
const TRAILING_PUNCTUATION = /[.:]$/;

/** This machine's own addresses: they identify no caller, and operators need them. */
const OWN_ADDRESSES: ReadonlySet<string> = new Set([
  '0.0.0.0',
  '127.0.0.1',
  '::',
  '::1',
  ...Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []),
]);

/** Redacts plain text, such as a message that leaves the process. */
export function redactText(text: string): string {
  return text
    .replace(URL_CREDENTIALS, '$1[credentials]@')
    .replace(EMAIL, '[email]')
    .replace(IPV6_LIKE, maskIpv6)
    .replace(IPV4_LIKE, (match) => (isIPv4(match) ? mask(match) : match));
}

function maskIpv6(run: string): string {
  if (isIPv6(run)) return mask(run);
  const address = run.replace(TRAILING_PUNCTUATION, '');
  return isIPv6(address) ? mask(address) + run.slice(address.length) : run;
}

function mask(address: string): string {
  return OWN_ADDRESSES.has(address) ? address : '[address]';
}
