import { StoreReplyError } from '../store-error';
import type { Algorithm, Numbers } from './algorithm';
import { bucket } from './bucket';
import { fixedWindow } from './fixed-window';
import { inFlight } from './in-flight';
import { slidingCounter } from './sliding-counter';
import { slidingLog } from './sliding-log';

const algorithms: Readonly<Record<string, Algorithm<unknown>>> = {
  'sliding-log': slidingLog,
  'queued-log': slidingLog,
  'sliding-counter': slidingCounter,
  'fixed-window': fixedWindow,
  'token-bucket': bucket,
  'leaky-bucket': bucket,
  'in-flight': inFlight,
};

/** A level of the policy arguments. */
export interface MemoryLevel {
  algorithm: Algorithm<unknown>;
  /** Absent if `hasOwnNumbers`. */
  numbers: Numbers | undefined;
  subWindows: number;
  isShadow: boolean;
  /** True if several policies charge it. */
  isShared: boolean;
  /** True if each call has its own limit and window. */
  hasOwnNumbers: boolean;
  /** True if calls that it refuses may wait in a queue. */
  isQueued: boolean;
  /** True if an admitted call waits for its start. */
  delays: boolean;
  punishment: { banAt: number; banMs: number; lapseMs: number } | undefined;
}

/** Decoded policy arguments; the header of lua/limiter/decide.lua is their grammar. */
export interface PolicyArgs {
  kind: 'decide' | 'settle' | 'release' | 'renew';
  /** Absent if each call has its own, and for the commands on a former call. */
  cost: number | undefined;
  /** The number of hits to reply with. */
  hits: number;
  requestTtlMs: number | undefined;
  reserveMs: number | undefined;
  levels: readonly MemoryLevel[];
  /** The number of levels that punish. */
  punishing: number;
  hasOwnNumbers: boolean;
}

const LEVEL_WORDS = 8;
const HEAD_WORDS = 3;

/** Decodes policy arguments. Throws a `StoreReplyError`. */
export function decodePolicyArgs(text: string): PolicyArgs {
  const words = text.split(' ');
  if (words.length < HEAD_WORDS || words.length % LEVEL_WORDS !== HEAD_WORDS) throw invalid(text);
  const [first = '', hits, record = ''] = words;
  const kind = first === 'settle' || first === 'release' || first === 'renew' ? first : 'decide';
  const levels: MemoryLevel[] = [];
  for (let at = HEAD_WORDS; at < words.length; at += LEVEL_WORDS) {
    levels.push(decodeLevel(words.slice(at, at + LEVEL_WORDS), text));
  }
  const hasOwnCost = first === '*' || kind === 'settle';
  const reserveMs = /^reserve=(\d+)$/.exec(record)?.[1];
  return {
    kind,
    cost: kind === 'decide' && !hasOwnCost ? Number(first) : undefined,
    hits: Number(hits),
    requestTtlMs: reserveMs === undefined && record !== '0' ? Number(record) : undefined,
    reserveMs: reserveMs === undefined ? undefined : Number(reserveMs),
    levels,
    punishing: levels.filter(({ punishment }) => punishment).length,
    hasOwnNumbers: hasOwnCost || levels.some(({ numbers }) => !numbers),
  };
}

function decodeLevel(words: readonly string[], text: string): MemoryLevel {
  const [name = '', limit, windowMs, subWindows, mode, banAt, banMs, lapseMs] = words;
  const algorithm = algorithms[name];
  if (!algorithm) throw invalid(text);
  const isEnforced = mode === 'enforce' || mode === 'enforce+';
  const punishment = { banAt: Number(banAt), banMs: Number(banMs), lapseMs: Number(lapseMs) };
  return {
    algorithm,
    numbers:
      limit === '*'
        ? undefined
        : { limit: Number(limit), windowMs: Number(windowMs), subWindows: Number(subWindows) },
    subWindows: Number(subWindows),
    isShadow: !isEnforced,
    isShared: mode?.endsWith('+') ?? false,
    hasOwnNumbers: limit === '*',
    isQueued: name === 'queued-log',
    delays: name === 'leaky-bucket' && isEnforced,
    punishment: punishment.banAt > 0 ? punishment : undefined,
  };
}

function invalid(text: string): StoreReplyError {
  return new StoreReplyError(`ERR invalid policy arguments: ${text}`);
}
