import type { LiveWindow } from '../_live/live-feed';
import type { WindowState } from '../_trpc/types';

/**
 * Returns the units in the window at an instant after the last server update. Known hits leave one by one. Of a
 * longer log only the newest 200 are known; the older ones leave before them.
 */
export function usedAt(window: LiveWindow, now: number): number {
  if (isCountedWindow(window)) return countedUsedAt(window, now);
  const { used, hits, windowMs } = window;
  const inside = hits.filter((hit) => hit + windowMs > now).length;
  const unknown = Math.max(0, used - hits.length);
  return inside === hits.length ? inside + unknown : inside;
}

/** Returns the instant of the next change of the count; `undefined` if there is none, or if it is unknown. */
export function nextLeaveAt(window: LiveWindow, now: number): number | undefined {
  if (isCountedWindow(window)) return nextCountedChangeAt(window, now);
  const { hits, windowMs } = window;
  const leaving = hits.map((hit) => hit + windowMs).filter((instant) => instant > now);
  return leaving.length === 0 ? undefined : Math.min(...leaving);
}

/** Returns the instant when the next unit fits; `undefined` if one fits now. */
export function freeAt(window: LiveWindow, now: number): number | undefined {
  if (isCountedWindow(window)) return countedFreeAt(window, now);
  const excess = usedAt(window, now) - window.limit;
  if (excess < 0) return undefined;
  const leaving = window.hits.map((hit) => hit + window.windowMs).filter((instant) => instant > now);
  return leaving.toSorted((a, b) => a - b)[excess];
}

/**
 * The way in which units return: `sliding` when each is as old as the window, `fixed` all at its end, `tokens` and
 * `queue` one by one at an even rate; `running` when their call ends.
 */
export type Counting = 'sliding' | 'fixed' | 'tokens' | 'queue' | 'running';

const countings = {
  'sliding-log': 'sliding',
  'sliding-counter': 'sliding',
  'fixed-window': 'fixed',
  'token-bucket': 'tokens',
  'leaky-bucket': 'queue',
  'in-flight': 'running',
} as const satisfies Record<WindowState['algorithm'], Counting>;

/**
 * Returns the counting of a window. A window from headers names no algorithm; it and unknown algorithms count as
 * sliding.
 */
export function countingOf({ algorithm = '' }: Pick<LiveWindow, 'algorithm'>): Counting {
  return isAlgorithm(algorithm) ? countings[algorithm] : 'sliding';
}

/** Checks that a window refuses calls. A window from headers names no mode. */
export function isEnforced({ mode = 'enforce' }: Pick<LiveWindow, 'mode'>): boolean {
  return mode === 'enforce';
}

/** Checks that an operator blocks every call of a window. */
export function isBlocked({ mode }: Pick<LiveWindow, 'mode'>): boolean {
  return mode === 'block';
}

/** Checks that a name from the server is a known algorithm. */
export function isAlgorithm(name: string | undefined): name is WindowState['algorithm'] {
  return name !== undefined && Object.hasOwn(countings, name);
}

/** A window with a count but no hits: every algorithm except the sliding log. */
type CountedWindow = LiveWindow & { readAt: number };

/** Checks that a window was read with a count above 0 and without hits. */
function isCountedWindow(window: LiveWindow): window is CountedWindow {
  return window.readAt !== undefined && window.used > 0 && window.hits.length === 0;
}

/**
 * Returns the units in use at an instant after the reading. A bucket returns one every `windowMs / limit`; unless it
 * was full, the phase is unknown, so the count may be one too high for that long. A fixed window is empty after its
 * end, and a sliding counter has room for one; both are known only for a full window.
 */
function countedUsedAt(window: CountedWindow, now: number): number {
  const { used, limit } = window;
  const counting = countingOf(window);
  if (counting === 'tokens' || counting === 'queue') return Math.max(0, used - returnedAt(window, now));
  if (used < limit || now < fitsAt(window)) return used;
  return counting === 'fixed' ? 0 : limit - 1;
}

/** Returns the instant of the next change of the count; `undefined` if the browser cannot compute it. */
function nextCountedChangeAt(window: CountedWindow, now: number): number | undefined {
  const left = countedUsedAt(window, now);
  if (left === 0) return undefined;
  const counting = countingOf(window);
  if (counting === 'tokens' || counting === 'queue') {
    return firstReturnAt(window) + returnedAt(window, now) * returnEveryMs(window);
  }
  return left >= window.limit ? fitsAt(window) : undefined;
}

/** Returns the instant when the next unit fits; `undefined` if one fits now. */
function countedFreeAt(window: CountedWindow, now: number): number | undefined {
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
