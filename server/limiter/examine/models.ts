import type { SeenCall } from './session';

/** The algorithms that the examination distinguishes. */
export const algorithmNames = {
  'fixed-window': 'fixed window by the clock',
  'first-hit-window': 'window from the first hit',
  'sliding-log': 'sliding log',
  'two-window-counter': 'weighted two-window counter',
  'sliding-counter': 'sliding counter with sub-windows',
  'token-bucket': 'token bucket, or a leaky bucket without delay (GCRA)',
  'leaky-bucket': 'leaky bucket (GCRA) that delays calls',
} as const;

export type AlgorithmName = keyof typeof algorithmNames;

interface Numbers {
  limit: number;
  windowMs: number;
  /** True if refused calls are charged as well, or renew the window. */
  countsRefusals: boolean;
  /** Only of a counter. */
  subWindows?: number;
  /** An edge of its windows, on the clock of the target. */
  phaseMs?: number;
}

/** A limiter that may have given the answers. */
export interface Model extends Numbers {
  name: AlgorithmName;
  createReplay(): Replay;
}

/** Returns true if the limiter may have given this answer, and moves its state on by it. */
export type Replay = (call: Pick<SeenCall, 'from' | 'to' | 'allowed'>) => boolean;

/** Rounding of clocks to whole ms, twice. */
const ROUNDING_MS = 3;
/** Phases of a window that are tried. */
const PHASES = 200;
/** With more of them, a counter decides like a log within the precision of the examination. One: a fixed window. */
const SUB_WINDOWS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20];
/** Calls are few where refused ones count. A fixed window then decides the same. */
const SUB_WINDOWS_OF_FEW_CALLS = SUB_WINDOWS.filter((one) => one > 1 && one <= 10);

/** Lists the limiters with a limit and a window, at each phase. */
export function listModels(numbers: { limit: number; windowMs: number }): Model[] {
  const { windowMs } = numbers;
  const stepMs = windowMs / PHASES;
  const models: Model[] = [];
  const add = (about: Pick<Model, 'name'> & Partial<Model>, createReplay: (model: Numbers) => Replay) => {
    const model = { countsRefusals: false, ...numbers, ...about };
    models.push({ ...model, createReplay: () => createReplay(model) });
  };
  add({ name: 'token-bucket' }, replayBucket);
  for (const renewedBy of ['none', 'refusals', 'calls'] as const)
    add({ name: 'first-hit-window', countsRefusals: renewedBy !== 'none' }, (model) =>
      replayFirstHit(model, renewedBy),
    );
  const addCounter = (about: Parameters<typeof add>[0], weight: Weight) =>
    add(about, (model) => replayHits(model, weight));
  for (const countsRefusals of [false, true]) {
    addCounter({ name: 'sliding-log', countsRefusals }, (hitAt, now) => Number(now - hitAt < windowMs));
    for (let phaseMs = 0; phaseMs < windowMs; phaseMs += stepMs)
      addCounter({ name: 'two-window-counter', countsRefusals, phaseMs }, byOverlap(windowMs, phaseMs));
    for (const subWindows of countsRefusals ? SUB_WINDOWS_OF_FEW_CALLS : SUB_WINDOWS) {
      const name = subWindows === 1 ? 'fixed-window' : 'sliding-counter';
      const lengthMs = windowMs / subWindows;
      for (let phaseMs = 0; phaseMs < lengthMs; phaseMs += stepMs) {
        const about = { name, countsRefusals, subWindows, phaseMs } as const;
        addCounter(about, untilEdge({ lengthMs, phaseMs, keepsMs: windowMs - lengthMs }));
        if (subWindows > 1) addCounter(about, untilEdge({ lengthMs, phaseMs, keepsMs: windowMs }));
      }
    }
  }
  return models;
}

/** The part of a hit that still counts. Falls with `now`, and rises with the time of the hit. */
type Weight = (hitAt: number, now: number) => number;

/** A hit counts until the end of its sub-window, and `keepsMs` more. */
function untilEdge({
  lengthMs,
  phaseMs,
  keepsMs,
}: Record<'lengthMs' | 'phaseMs' | 'keepsMs', number>): Weight {
  return (hitAt, now) => {
    const end = (Math.floor((hitAt - phaseMs) / lengthMs) + 1) * lengthMs + phaseMs;
    return Number(now < end + keepsMs);
  };
}

/** A hit of the previous window counts by the part of that window that a sliding one still covers. */
function byOverlap(windowMs: number, phaseMs: number): Weight {
  return (hitAt, now) => {
    const current = (now - phaseMs) / windowMs;
    const windows = Math.floor(current) - Math.floor((hitAt - phaseMs) / windowMs);
    if (windows <= 0) return 1;
    return windows === 1 ? 1 - (current - Math.floor(current)) : 0;
  };
}

/** A limiter whose hits count on their own. Each hit and each call has the earliest and the latest time at which it may be. */
function replayHits({ limit, windowMs, countsRefusals, phaseMs }: Numbers, weight: Weight): Replay {
  const slackMs = ROUNDING_MS + (phaseMs === undefined ? 0 : windowMs / PHASES / 2);
  const hits: { from: number; to: number }[] = [];
  let first = 0;
  return ({ from, to, allowed }) => {
    while (from - (hits[first]?.to ?? from) > 2 * windowMs + slackMs) first += 1;
    let used = 0;
    for (const hit of hits.slice(first)) {
      if (!allowed) used += weight(hit.to + slackMs, from - slackMs);
      else if (hit.to <= from) used += weight(hit.from - slackMs, to + slackMs);
    }
    if (allowed || countsRefusals) hits.push({ from, to });
    return allowed ? used < limit : used > limit - 1;
  };
}

/** A window that begins with its first call. Several windows are possible while a call may be in the old or in a new one. */
function replayFirstHit({ limit, windowMs }: Numbers, renewedBy: 'none' | 'refusals' | 'calls'): Replay {
  let windows = [{ from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY, count: 0 }];
  return ({ from, to, allowed }) => {
    const next: typeof windows = [];
    const isRenewed = renewedBy === 'calls' || (renewedBy === 'refusals' && !allowed);
    for (const window of windows) {
      const mayBeIn = from - ROUNDING_MS <= window.to + windowMs;
      const mayBeNew = to + ROUNDING_MS >= window.from + windowMs;
      if (mayBeIn && allowed === window.count < limit)
        next.push({ ...(isRenewed ? { from, to } : window), count: window.count + Number(allowed) });
      if (mayBeNew && allowed) next.push({ from, to, count: 1 });
    }
    windows = next.slice(0, 64);
    if (windows.length > 0) return true;
    windows = [{ from, to, count: allowed ? 1 : limit }];
    return false;
  };
}

/**
 * Units return evenly. The state is the time at which all units will have returned. A bucket that returns units in steps may
 * be up to one step earlier after it was full.
 */
function replayBucket({ limit, windowMs }: Numbers): Replay {
  const unitMs = windowMs / limit;
  const burstMs = windowMs - unitMs;
  let full = { from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
  return (call) => {
    const from = call.from - ROUNDING_MS;
    const to = call.to + ROUNDING_MS;
    const isPossible = call.allowed ? full.from - to <= burstMs : full.to - from > burstMs;
    if (call.allowed) {
      const latest = Math.max(Math.min(full.to, to + burstMs), to) + unitMs;
      full = { from: Math.min(latest, Math.max(full.from, from - unitMs) + unitMs), to: latest };
    } else {
      const earliest = Math.max(full.from, from + burstMs);
      full = { from: earliest, to: Math.max(full.to, earliest) };
    }
    return isPossible;
  };
}
