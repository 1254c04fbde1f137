import type { WindowState } from '../_trpc/types';
import { isListOf, isNumber, isRecord, parseJson } from './read-json';

/** A window as the feed sends it: the fields that a meter needs. */
export type LiveWindow = Pick<WindowState, 'policy' | 'level' | 'limit' | 'windowMs' | 'used' | 'hits'> &
  // Only the visitor's own windows carry a ban. A window read from headers has neither algorithm nor wait.
  Partial<Pick<WindowState, 'bannedUntil' | 'retryAfterMs'>> & {
    algorithm?: string;
    /** The instant of the reading on Redis's clock. `retryAfterMs` counts from it. */
    readAt?: number;
  };

/** The refusal totals of a level. */
export interface LiveRate {
  policy: string;
  level: string;
  refused: number;
  banned: number;
}

/** One `windows` event of /api/live. */
export interface LiveEvent {
  /** Redis's clock, epoch ms. */
  serverNow: number;
  /** The global levels. */
  windows: LiveWindow[];
  /** Fleet-wide totals, which only grow. */
  rates: LiveRate[];
  stock: { couponId: string; remaining: number }[];
}

/** Parses an event. Returns `undefined` for an invalid one, which counts as silence. */
export function parseLiveEvent(text: string): LiveEvent | undefined {
  const data = parseJson(text);
  if (!isRecord(data)) return undefined;
  const { serverNow, windows, rates, stock } = data;
  if (!isNumber(serverNow) || !isListOf(windows, isWindow)) return undefined;
  if (!isListOf(rates, isRate) || !isListOf(stock, isStock)) return undefined;
  return { serverNow, windows: windows.map((window) => ({ ...window, readAt: serverNow })), rates, stock };
}

function isWindow(value: unknown): value is LiveWindow {
  return (
    isRecord(value) &&
    typeof value.policy === 'string' &&
    typeof value.level === 'string' &&
    isNumber(value.limit) &&
    isNumber(value.windowMs) &&
    isNumber(value.used) &&
    isListOf(value.hits, isNumber)
  );
}

function isRate(value: unknown): value is LiveRate {
  return (
    isRecord(value) &&
    typeof value.policy === 'string' &&
    typeof value.level === 'string' &&
    isNumber(value.refused) &&
    isNumber(value.banned)
  );
}

function isStock(value: unknown): value is LiveEvent['stock'][number] {
  return isRecord(value) && typeof value.couponId === 'string' && isNumber(value.remaining);
}
