import type { LiveWindow } from '../_live/live-event';
import { countingOf } from './counting';

/** A window with a count but no hits: every algorithm except the sliding log. */
export type CountedWindow = LiveWindow & { readAt: number };

/** Checks that a window was read with a count above 0 and without hits. */
export function isCountedWindow(window: LiveWindow): window is CountedWindow {
  return window.readAt !== undefined && window.used > 0 && window.hits.length === 0;
}

/**
 * Returns the units in use at an instant after the reading. A bucket returns one every `windowMs / limit`; unless it
 * was full, the phase is unknown, so the count may be one too high for that long. A fixed window is empty after its
 * end, and a sliding counter has room for one; both are known only for a full window.
 */
export function countedUsedAt(window: CountedWindow, now: number): number {
  const { used, limit } = window;
  const counting = countingOf(window);
  if (counting === 'tokens' || counting === 'queue') return Math.max(0, used - returnedAt(window, now));
  if (used < limit || now < fitsAt(window)) return used;
  return counting === 'fixed' ? 0 : limit - 1;
}

/** Returns the instant of the next change of the count; `undefined` if only the server knows. */
export function nextCountedChangeAt(window: CountedWindow, now: number): number | undefined {
  const left = countedUsedAt(window, now);
  if (left === 0) return undefined;
  const counting = countingOf(window);
  if (counting === 'tokens' || counting === 'queue') {
    return firstReturnAt(window) + returnedAt(window, now) * returnEveryMs(window);
  }
  return left >= window.limit ? fitsAt(window) : undefined;
}

/** Returns the instant when the next unit fits; `undefined` if one fits now. */
export function countedFreeAt(window: CountedWindow, now: number): number | undefined {
  return countedUsedAt(window, now) < window.limit ? undefined : fitsAt(window);
}

function fitsAt({ readAt, retryAfterMs = 0 }: CountedWindow): number {
  return readAt + retryAfterMs;
}

function returnEveryMs({ windowMs, limit }: CountedWindow): number {
  return windowMs / limit;
}

/** Returns the latest instant of the first returned unit after the reading. */
function firstReturnAt(window: CountedWindow): number {
  const { readAt, used, limit } = window;
  const everyMs = returnEveryMs(window);
  if (used < limit) return readAt + everyMs;
  return Math.max(readAt, fitsAt(window) - (used - limit) * everyMs);
}

function returnedAt(window: CountedWindow, now: number): number {
  const sinceFirstMs = now - firstReturnAt(window);
  return sinceFirstMs < 0 ? 0 : 1 + Math.floor(sinceFirstMs / returnEveryMs(window));
}
