import type { LiveWindow } from '../_live/live-event';
import { countingOf } from './counting';

/** A window whose hits are not known: every algorithm but the sliding log keeps numbers only. */
export type UnloggedWindow = LiveWindow & { readAt: number };

export function isUnlogged(window: LiveWindow): window is UnloggedWindow {
  return window.readAt !== undefined && window.used > 0 && window.hits.length === 0;
}

/**
 * Units out at an instant after the window was read. A bucket gives one back every `windowMs / limit`; where it was not
 * full the phase is not known, so that the count may be one unit too high for that long. A fixed window is empty after
 * its end, a sliding counter has room for one; both are known only where the window was full.
 */
export function unloggedUsedAt(window: UnloggedWindow, now: number): number {
  const { used, limit } = window;
  const counting = countingOf(window);
  if (counting === 'tokens' || counting === 'queue') return Math.max(0, used - returnedAt(window, now));
  if (used < limit || now < fitsAt(window)) return used;
  return counting === 'fixed' ? 0 : limit - 1;
}

/** When the count changes next by itself; `undefined` where only the server knows. */
export function nextUnloggedChangeAt(window: UnloggedWindow, now: number): number | undefined {
  const left = unloggedUsedAt(window, now);
  if (left === 0) return undefined;
  const counting = countingOf(window);
  if (counting === 'tokens' || counting === 'queue') {
    return firstReturnAt(window) + returnedAt(window, now) * returnEveryMs(window);
  }
  return left >= window.limit ? fitsAt(window) : undefined;
}

/** When the next unit fits; `undefined` where one fits now. */
export function unloggedFreeAt(window: UnloggedWindow, now: number): number | undefined {
  return unloggedUsedAt(window, now) < window.limit ? undefined : fitsAt(window);
}

function fitsAt({ readAt, retryAfterMs = 0 }: UnloggedWindow): number {
  return readAt + retryAfterMs;
}

function returnEveryMs({ windowMs, limit }: UnloggedWindow): number {
  return windowMs / limit;
}

/** When the first unit of a bucket came back after the reading, at the latest. */
function firstReturnAt(window: UnloggedWindow): number {
  const { readAt, used, limit } = window;
  const everyMs = returnEveryMs(window);
  if (used < limit) return readAt + everyMs;
  return Math.max(readAt, fitsAt(window) - (used - limit) * everyMs);
}

function returnedAt(window: UnloggedWindow, now: number): number {
  const sinceFirstMs = now - firstReturnAt(window);
  return sinceFirstMs < 0 ? 0 : 1 + Math.floor(sinceFirstMs / returnEveryMs(window));
}
