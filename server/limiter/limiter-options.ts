import type { DecisionObserver } from './decide/observers';
import { describeSecret, isWhole, LimiterOptionError, PREFIX_FIX, rejectUnknownOptions } from './options';
import { MAX_TIMER_MS } from './policy/validate-policy';
import type { CreateQueues } from './queue/queues';
import type { Store } from './stores/store';

/** The options of `createLimiter`. */
export interface LimiterOptions {
  /** The windows, shared by all nodes: `connectRedis(url)`, or the store of a given client; in tests `memoryStore()`. */
  store: Store;
  /** The key of the HMACs that replace subjects in keys. At least 32 characters, the same on all nodes. */
  secret: string;
  /** The prefix of every key. Default: `limit:`. */
  prefix?: string;
  /** Timeout of one decision, in ms. Default: 250. */
  timeoutMs?: number;
  /** The bits of an IPv6 address by which the level `ip` counts. A whole number from 1 to 128; default 64, a household. */
  ipv6Prefix?: number;
  /**
   * Returns epoch ms to use instead of the store's clock, for tests and simulation. Rounded down; at least 0, else
   * `ready()` and every call fail. Default: the store's clock.
   */
  clock?: () => number;
  /** Returns the number of nodes that share the store. A `local` policy divides its limits by it. Default: 1. */
  nodes?: () => number;
  /**
   * True to refuse calls from cached denials, without the store. A simulation sends every call, because its clock
   * advances while replies are in flight. Default: true.
   */
  cacheDenials?: boolean;
  /** Enables `Limiter.queue`: pass `createQueues`. Default: no policy has a queue. */
  queues?: CreateQueues;
  /** Receives every decision, for metrics. Must not throw. */
  onDecision?: DecisionObserver;
  /** Receives the problems that an operator should check. Default: `process.emitWarning`, else `console.warn`. */
  onWarning?: (message: string) => void;
}

interface Rule {
  accepts: (value: unknown) => boolean;
  fix: string | ((value: unknown) => string);
  isRequired?: boolean;
}

const MIN_SECRET_LENGTH = 32;

const isFunction = (value: unknown) => typeof value === 'function';

/** A new option must be added here too, else this file does not compile. */
const RULES = {
  store: {
    accepts: (value) => value !== null && isFunction(Object(value).decide),
    fix: fixOfStore,
    isRequired: true,
  },
  secret: {
    accepts: (value) => typeof value === 'string' && value.length >= MIN_SECRET_LENGTH,
    fix: (value) =>
      `Use at least ${MIN_SECRET_LENGTH} random characters, the same on all nodes.${value ? '' : ' If it is from the environment, its variable is not set.'}`,
    isRequired: true,
  },
  prefix: { accepts: (value) => typeof value === 'string', fix: 'Use a text, as in "limit:".' },
  timeoutMs: {
    accepts: (value) => isWhole(value, 1, MAX_TIMER_MS),
    fix: `Use whole milliseconds from 1 to ${MAX_TIMER_MS}, as in 250.`,
  },
  ipv6Prefix: { accepts: (value) => isWhole(value, 1, 128), fix: PREFIX_FIX },
  clock: { accepts: isFunction, fix: 'Use a function that returns epoch ms.' },
  nodes: { accepts: isFunction, fix: 'Use a function that returns the number of nodes.' },
  cacheDenials: { accepts: (value) => typeof value === 'boolean', fix: 'Use true or false.' },
  queues: { accepts: isFunction, fix: 'Pass createQueues, or omit it.' },
  onDecision: { accepts: isFunction, fix: 'Use a function of the outcome.' },
  onWarning: { accepts: isFunction, fix: 'Use a function of the message.' },
} satisfies Record<keyof LimiterOptions, Rule>;

function fixOfStore(value: unknown): string {
  if (isFunction(Object(value).sendCommand))
    return 'This is a client. Give connectRedis(url), ioredisStore(client) or nodeRedisStore(client).';
  return 'Give the result of connectRedis, ioredisStore, nodeRedisStore, restStore or memoryStore.';
}

/** Throws a `LimiterOptionError` for the first invalid, missing or unknown option. */
export function validateOptions(options: LimiterOptions): void {
  rejectUnknownOptions('createLimiter', options, RULES);
  for (const [field, { accepts, fix, isRequired }] of Object.entries<Rule>(RULES)) {
    const value = options[field as keyof LimiterOptions];
    if ((value === undefined && !isRequired) || accepts(value)) continue;
    const isSecret = field === 'secret' || field === 'store';
    const shown = isSecret && typeof value !== 'object' ? describeSecret(value) : value;
    throw new LimiterOptionError(field, shown, typeof fix === 'function' ? fix(value) : fix);
  }
}

/** Throws a `LimiterOptionError` if the limiter of another function's options is none. */
export function validateLimiter(limiter: unknown, name: string): void {
  if (isFunction(Object(limiter).check)) return;
  throw new LimiterOptionError('limiter', limiter, 'Give the result of createLimiter.', name);
}

/** Returns a clock of whole ms. It throws a `LimiterOptionError` for a time that the store does not accept. */
export function wholeClock(clock: (() => number) | undefined): (() => number) | undefined {
  if (!clock) return undefined;
  return function readClock() {
    const time = clock();
    const ms = Math.floor(time);
    if (isWhole(ms, 0, Number.MAX_SAFE_INTEGER)) return ms;
    throw new LimiterOptionError('clock', time, 'Return epoch ms, as Date.now does.');
  };
}
