import type { SeenCall } from './target';

/** The algorithms that the examination distinguishes. */
export const algorithmNames = {
  'fixed-window': 'fixed window by the clock',
  'first-hit-window': 'window from the first hit',
  'sliding-log': 'sliding log',
  'two-window-counter': 'weighted two-window counter',
  'sliding-counter': 'sliding counter with sub-windows',
  'token-bucket': 'token bucket',
  'leaky-bucket': 'leaky bucket (GCRA) that delays calls',
} as const;

export type AlgorithmName = keyof typeof algorithmNames;

/** A limiter that may have given the answers. */
export interface Model {
  name: AlgorithmName;
  limit: number;
  windowMs: number;
  /** True if refused calls are charged as well, or renew the window. */
  countsRefusals: boolean;
  /** Only of a sliding counter. */
  subWindows?: number;
  /** An edge of its windows, on the clock of the target. */
  phaseMs?: number;
  /** Returns the calls that the limiter would have answered in another way. Stops after `MAX_CONTRADICTIONS`. */
  contradictions(calls: readonly SeenCall[]): SeenCall[];
}

type DecidedCall = Pick<SeenCall, 'from' | 'to' | 'allowed'>;

/** More contradictions say nothing more. */
export const MAX_CONTRADICTIONS = 16;
/** Rounding of clocks to whole ms, twice. */
const ROUNDING_MS = 3;
/** Phases of a window that are tried. */
const PHASES = 200;
/** With more of them, a counter decides like a log within the precision of the examination. */
const SUB_WINDOWS = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20];

/** Lists the limiters with a limit and a window, at each phase. */
export function listModels({ limit, windowMs }: { limit: number; windowMs: number }): Model[] {
  const numbers = { limit, windowMs };
  const stepMs = windowMs / PHASES;
  const phasesIn = (lengthMs: number) =>
    Array.from({ length: Math.ceil(lengthMs / stepMs) }, (_, index) => index * stepMs);
  const slackMs = ROUNDING_MS + stepMs / 2;
  const models: Model[] = [];
  const add = (about: Omit<Model, 'limit' | 'windowMs' | 'contradictions'>, replay: () => Replay) =>
    models.push({ ...numbers, ...about, contradictions: (calls) => listContradictions(calls, replay()) });
  const addWeighted = (about: Parameters<typeof add>[0], weight: Weight, slack: number) =>
    add(about, () =>
      replayWeights({ ...numbers, weight, countsRefusals: about.countsRefusals, slackMs: slack }),
    );

  add({ name: 'token-bucket', countsRefusals: false }, () => replayBucket(numbers));
  for (const renewedBy of ['none', 'refusals', 'calls'] as const)
    add({ name: 'first-hit-window', countsRefusals: renewedBy !== 'none' }, () =>
      replayFirstHit({ ...numbers, renewedBy }),
    );
  for (const phaseMs of phasesIn(windowMs))
    addWeighted(
      { name: 'fixed-window', countsRefusals: false, phaseMs },
      untilEdge({ lengthMs: windowMs, phaseMs, keepsMs: 0 }),
      slackMs,
    );
  for (const countsRefusals of [false, true]) {
    addWeighted(
      { name: 'sliding-log', countsRefusals },
      (hit, now) => Number(now - hit < windowMs),
      ROUNDING_MS,
    );
    for (const phaseMs of phasesIn(windowMs))
      addWeighted(
        { name: 'two-window-counter', countsRefusals, phaseMs },
        byOverlap({ windowMs, phaseMs }),
        slackMs,
      );
    // Sub-windows count until their start or until their end leaves the window.
    // Calls are few where refused ones count, so a counter with short ones is taken for a log.
    for (const subWindows of SUB_WINDOWS.filter((one) => !countsRefusals || one <= 10))
      for (const keeps of [subWindows - 1, subWindows])
        for (const phaseMs of phasesIn(windowMs / subWindows)) {
          const lengthMs = windowMs / subWindows;
          addWeighted(
            { name: 'sliding-counter', countsRefusals, subWindows, phaseMs },
            untilEdge({ lengthMs, phaseMs, keepsMs: keeps * lengthMs }),
            slackMs,
          );
        }
  }
  return models;
}

/** Returns true if the limiter may have given this answer, and moves its state on by it. */
type Replay = (call: DecidedCall) => boolean;

function listContradictions(calls: readonly SeenCall[], isPossible: Replay): SeenCall[] {
  const found: SeenCall[] = [];
  for (const call of calls) {
    if (isPossible(call)) continue;
    found.push(call);
    if (found.length >= MAX_CONTRADICTIONS) break;
  }
  return found;
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
    const end = Math.floor((hitAt - phaseMs) / lengthMs) * lengthMs + lengthMs + phaseMs;
    return Number(now < end + keepsMs);
  };
}

/** A hit of the previous window counts by the part of that window that a sliding one still covers. */
function byOverlap({ windowMs, phaseMs }: { windowMs: number; phaseMs: number }): Weight {
  return (hitAt, now) => {
    const current = (now - phaseMs) / windowMs;
    const windows = Math.floor(current) - Math.floor((hitAt - phaseMs) / windowMs);
    if (windows <= 0) return 1;
    return windows === 1 ? 1 - (current - Math.floor(current)) : 0;
  };
}

interface WeightOptions {
  limit: number;
  windowMs: number;
  weight: Weight;
  countsRefusals: boolean;
  slackMs: number;
}

/** A limiter whose hits count on their own. Each hit and each call has the earliest and the latest time at which it may be. */
function replayWeights({ limit, windowMs, weight, countsRefusals, slackMs }: WeightOptions): Replay {
  const hits: DecidedCall[] = [];
  let first = 0;
  return (call) => {
    for (let hit = hits[first]; hit && call.from - hit.to > 2 * windowMs + slackMs; hit = hits[first])
      first += 1;
    let used = 0;
    for (let index = first; index < hits.length; index += 1) {
      const { from = 0, to = 0 } = hits[index] ?? {};
      if (!call.allowed) used += weight(to + slackMs, call.from - slackMs);
      else if (to <= call.from) used += weight(from - slackMs, call.to + slackMs);
    }
    if (call.allowed || countsRefusals) hits.push(call);
    return call.allowed ? used < limit : used > limit - 1;
  };
}

/** A window that begins with its first call. Several windows are possible while a call may be in the old or in a new one. */
function replayFirstHit({
  limit,
  windowMs,
  renewedBy,
}: {
  limit: number;
  windowMs: number;
  renewedBy: 'none' | 'refusals' | 'calls';
}): Replay {
  let windows = [{ from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY, count: 0 }];
  return ({ from, to, allowed }) => {
    const next: typeof windows = [];
    for (const window of windows) {
      const isRenewed = renewedBy === 'calls' || (renewedBy === 'refusals' && !allowed);
      const start = isRenewed ? { from, to } : { from: window.from, to: window.to };
      const mayBeIn = from - ROUNDING_MS <= window.to + windowMs;
      const mayBeNew = to + ROUNDING_MS >= window.from + windowMs;
      if (mayBeIn && allowed === window.count < limit)
        next.push({ ...start, count: window.count + Number(allowed) });
      if (mayBeNew && allowed) next.push({ from, to, count: 1 });
    }
    windows = next.slice(0, 8);
    if (windows.length > 0) return true;
    windows = [{ from, to, count: allowed ? 1 : limit }];
    return false;
  };
}

/**
 * Units return evenly. The state is the time at which all units will have returned. A bucket that returns units in steps may
 * be up to one step earlier after it was full.
 */
function replayBucket({ limit, windowMs }: { limit: number; windowMs: number }): Replay {
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
