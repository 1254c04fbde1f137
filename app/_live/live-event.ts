import type { WindowState } from '../_trpc/types';

/** A window as the feed sends it: what a meter needs, no more. */
export type LiveWindow = Pick<WindowState, 'policy' | 'level' | 'limit' | 'windowMs' | 'used' | 'hits'>;

/** One `windows` event of /api/live. */
export interface LiveEvent {
  /** Redis's clock, epoch ms. */
  serverNow: number;
  /** The levels that count everybody. */
  windows: LiveWindow[];
  stock: { couponId: string; remaining: number }[];
}

/** Reads an event; `undefined` where it is not one, which counts as silence. */
export function parseLiveEvent(text: string): LiveEvent | undefined {
  const data = parseJson(text);
  if (!isRecord(data)) return undefined;
  const { serverNow, windows, stock } = data;
  if (!isNumber(serverNow) || !isListOf(windows, isWindow) || !isListOf(stock, isStock)) return undefined;
  return { serverNow, windows, stock };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
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

function isStock(value: unknown): value is LiveEvent['stock'][number] {
  return isRecord(value) && typeof value.couponId === 'string' && isNumber(value.remaining);
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
