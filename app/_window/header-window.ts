import type { LiveWindow } from '../_live/live-feed';

/** The state of a level as the response headers describe it. */
export interface LevelState {
  limit: number;
  windowMs: number;
  remaining: number;
  /** Time until the oldest hit leaves or, if the level is full, until the next call fits. 0 if it is empty. */
  resetAfterMs: number;
}

/**
 * Parses `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11) for one level, `policy:level`.
 * Returns `undefined` if the response does not name it, for example a refusal by another level, or if the level is blocked.
 */
export function parseLevelState(headers: Headers, name: string): LevelState | undefined {
  const { q, w } = parametersOf(headers.get('ratelimit-policy'), name);
  const { r, t } = parametersOf(headers.get('ratelimit'), name);
  if (q === undefined || w === undefined || r === undefined) return undefined;
  // Blocked by an operator. A full window has a time.
  if (r === 0 && t === undefined) return undefined;
  return { limit: q, windowMs: w * 1_000, remaining: r, resetAfterMs: (t ?? 0) * 1_000 };
}

/** Returns the parameters of an item in `"a";q=3;w=60, "b";q=30;w=60`. Names have no commas. */
function parametersOf(field: string | null, name: string): Record<string, number | undefined> {
  const item = (field ?? '').split(', ').find((text) => text.startsWith(`"${name}";`));
  const parameters = (item ?? '').split(';').slice(1);
  return Object.fromEntries(
    parameters.map((text) => text.split('=')).map(([key, value]) => [key, Number(value)]),
  );
}

interface WindowUpdate {
  state: LevelState;
  /** False for a refused call, which takes no slot. */
  admitted: boolean;
  /** The arrival time, on the clock of the drawing. */
  now: number;
}

/**
 * Returns the window that the headers describe: the number of hits and the oldest one. Hits of
 * this page are in between; other hits are placed at the oldest one.
 */
export function windowAfter(
  before: LiveWindow | undefined,
  { state, admitted, now }: WindowUpdate,
): LiveWindow {
  const { limit, windowMs, remaining, resetAfterMs } = state;
  const used = limit - remaining;
  const oldest = now + resetAfterMs - windowMs;
  const seen = [...(admitted ? [now] : []), ...(before?.hits ?? [])];
  const hits = Array.from({ length: used }, (_, index) =>
    index === used - 1 ? oldest : (seen[index] ?? oldest),
  );
  return { policy: '', level: '', limit, windowMs, used, hits };
}

/** Returns a full window whose oldest hit leaves at an instant, on the clock of the drawing. */
export function withFreeAt(window: LiveWindow, freeAt: number): LiveWindow {
  return { ...window, hits: [...window.hits.slice(0, -1), freeAt - window.windowMs] };
}
