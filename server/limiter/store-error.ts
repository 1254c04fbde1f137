/**
 * Why the store did not decide a call: it was silent, it replied with an error (then its code), or its reply could not be
 * read. A closed list, so that it fits into a metric's label; a code that is not listed is `other`.
 */
export type StoreErrorKind =
  | (typeof storeErrorKinds)[number]
  /** Not sent, because the store was silent before. */
  | 'breaker-open';

/** The codes with which Redis and Valkey begin an error. */
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
  /** No reply within the time of a call. */
  'timeout',
  /** No connection, or one that broke before the reply. */
  'disconnected',
  /** The script or function does not compile, or failed by a fault of its own. */
  'script',
  /** A cluster sent the call from node to node until the client gave up. */
  'redirections',
  /** The reply is none of the script's. */
  'malformed-reply',
  ...REPLY_CODES,
  'other',
] as const;

/** The store did not answer, or answered with an error. A third outcome, never a denial. */
export class StoreUnavailableError extends Error {
  readonly kind: StoreErrorKind;

  /** `kind` defaults to what `cause` says; without either the store is `disconnected`. */
  constructor(message: string, { cause, kind }: { cause?: unknown; kind?: StoreErrorKind } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreUnavailableError';
    this.kind = kind ?? kindOf(cause);
  }

  /** Whether the store sent no reply at all: then waiting for it costs time. */
  get hasNoReply(): boolean {
    return this.kind === 'timeout' || this.kind === 'disconnected' || this.kind === 'breaker-open';
  }
}

/** An error that a script replied for one call of a batch; named as Redis clients name replies that are errors. */
export class StoreReplyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReplyError';
  }
}

/** The store's error among the causes of an error. */
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

function kindOf(cause: unknown): StoreErrorKind {
  if (cause instanceof StoreUnavailableError) return cause.kind;
  if (!(cause instanceof Error)) return 'disconnected';
  if (cause.name === 'ReplyError') return kindOfReply(cause.message);
  if (cause.message.startsWith('Too many Cluster redirections')) return 'redirections';
  return cause instanceof TypeError ? 'malformed-reply' : 'disconnected';
}

const KNOWN_CODE = new RegExp(`\\b(?:${REPLY_CODES.join('|')})\\b`);
const SCRIPT_ERROR = /\b(?:compiling|user_script|user_function|running script)\b/;

/** Longer than any code and what stands before it; what follows may hold keys. */
const MAX_CODE_POSITION = 300;

/** Redis before 7.0 puts the code of an error within a script behind the name of the script. */
function kindOfReply(message: string): StoreErrorKind {
  const start = message.slice(0, MAX_CODE_POSITION);
  const code = REPLY_CODES.find((one) => one === KNOWN_CODE.exec(start)?.[0]);
  if (code) return code;
  return SCRIPT_ERROR.test(start) ? 'script' : 'other';
}
