import { FloodgateError } from '../floodgate-error';

/**
 * The reason why the store did not decide a call: no reply, an error reply (then its code), or a malformed reply. A closed
 * list, because it is a metric label; any other code is `other`.
 */
export type StoreErrorKind =
  | (typeof storeErrorKinds)[number]
  /** Not sent, because the circuit breaker is open. */
  | 'breaker-open'
  /** Not sent, because the limiter is closed. */
  | 'closed';

/** The codes at the beginning of an error reply of Redis and Valkey. */
const REPLY_CODES = [
  'ASK',
  'BUSY',
  'CLUSTERDOWN',
  'CROSSSLOT',
  'LOADING',
  'MASTERDOWN',
  'MISCONF',
  'MOVED',
  'NOAUTH',
  'NOPERM',
  'NOREPLICAS',
  'NOSCRIPT',
  'OOM',
  'READONLY',
  'TRYAGAIN',
  'WRONGPASS',
  'WRONGTYPE',
] as const;

/** The kinds of calls that were sent. */
export const storeErrorKinds = [
  /** No reply within the timeout. */
  'timeout',
  /** No connection, or a connection lost before the reply. */
  'disconnected',
  /** The script or function does not compile, or failed by its own error. */
  'script',
  /** The cluster redirected the call until the client gave up. */
  'redirections',
  /** The reply cannot be decoded. */
  'malformed-reply',
  ...REPLY_CODES,
  'other',
] as const;

/** The store did not reply, or replied with an error. A third outcome, never a denial. */
export class StoreUnavailableError extends FloodgateError {
  static override readonly code = 'STORE_UNAVAILABLE';
  readonly kind: StoreErrorKind;

  /** `kind` defaults to the kind of `cause`, or `disconnected`. */
  constructor(message: string, { cause, kind }: { cause?: unknown; kind?: StoreErrorKind } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreUnavailableError';
    this.kind = kind ?? kindOf(cause);
  }

  /** True if the store sent no reply, so that callers lost time. */
  get hasNoReply(): boolean {
    return this.kind === 'timeout' || this.kind === 'disconnected' || this.kind === 'breaker-open';
  }
}

/** The error reply to one call of a batch, with the `name` that Redis clients give to error replies. */
export class StoreReplyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReplyError';
  }
}

/** A script or function that Redis does not compile, with its file and line. */
export class ScriptError extends FloodgateError {
  static override readonly code = 'INVALID_SCRIPT';
  readonly file: string;
  readonly line: number;

  constructor(
    { file, line }: { file: string; line: number },
    { reason, cause }: { reason: string; cause: unknown },
  ) {
    super(`lua/${file}, line ${line}: ${reason}`, { cause });
    this.name = 'ScriptError';
    this.file = file;
    this.line = line;
  }
}

/** Returns the `StoreUnavailableError` among the causes of an error. */
export function storeErrorIn(error: unknown): StoreUnavailableError | undefined {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    if (cause instanceof StoreUnavailableError) return cause;
    ({ cause } = cause);
  }
  return undefined;
}

/** Errors may cause each other. */
const MAX_CAUSES = 8;

/** Returns the kind of the error of a call. */
export function kindOf(cause: unknown): StoreErrorKind {
  if (cause instanceof StoreUnavailableError) return cause.kind;
  if (!(cause instanceof Error)) return 'disconnected';
  if (replyCodeOf(cause) !== undefined) return kindOfReply(cause.message);
  if (cause.message.startsWith('Too many Cluster redirections')) return 'redirections';
  return cause instanceof TypeError ? 'malformed-reply' : 'disconnected';
}

const KNOWN_CODE = new RegExp(`\\b(?:${REPLY_CODES.join('|')})\\b`);
const SCRIPT_ERROR = /\b(?:compiling|user_script|user_function|running script)\b/;

/** A code is within the first 300 characters. Later text may contain keys. */
const MAX_CODE_POSITION = 300;

/** Returns the kind of an error reply. Redis before 7.0 puts the code of a script's error after the script's name. */
function kindOfReply(message: string): StoreErrorKind {
  const start = message.slice(0, MAX_CODE_POSITION);
  const code = REPLY_CODES.find((one) => one === KNOWN_CODE.exec(start)?.[0]);
  if (code) return code;
  return SCRIPT_ERROR.test(start) ? 'script' : 'other';
}

/** Returns the reply, or `otherwise` if the store is unavailable. */
export async function ignoreOutage<Reply>(reply: Promise<Reply>, otherwise: Reply): Promise<Reply> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return otherwise;
    throw error;
  }
}

/** An error reply begins with a code of capitals. No error of a client and no system error has such a text. */
const REPLY_CODE = /^-?([A-Z]{2}[A-Z0-9_]*)(?: |$)/;

/**
 * Returns the code of an error reply of Redis, or `undefined` for any other error. By the text, because no client exports
 * the class of its error replies in every version, and a minifier renames classes and their `name`.
 */
export function replyCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || 'syscall' in error) return undefined;
  return REPLY_CODE.exec(error.message)?.[1] ?? (error.name === 'ReplyError' ? 'ERR' : undefined);
}
