import type { WindowState } from '../_trpc/types';
import { isListOf, isNumber, isRecord, parseJson } from './read-json';

/** A window as the feed sends it: what a meter needs, no more. */
export type LiveWindow = Pick<WindowState, 'policy' | 'level' | 'limit' | 'windowMs' | 'used' | 'hits'> &
  // Only one's own windows know of a ban; a window read from headers knows neither algorithm nor wait.
  Partial<Pick<WindowState, 'bannedUntil' | 'retryAfterMs'>> & {
    algorithm?: string;
    /** When the server read it, by Redis's clock: `retryAfterMs` counts from here. */
    readAt?: number;
  };

/** How often a level has said no. */
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
  /** The levels that count everybody. */
  windows: LiveWindow[];
  /** Totals of all nodes together; they only grow. */
  rates: LiveRate[];
  stock: { couponId: string; remaining: number }[];
}

/** Reads an event; `undefined` where it is not one, which counts as silence. */
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
