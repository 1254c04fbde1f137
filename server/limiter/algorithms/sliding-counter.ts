import type { LevelCall, Numbers, Reading, StateAlgorithm } from './algorithm';

/** The units of one sub-window. */
interface SubWindow {
  lastMs: number;
  count: number;
}

/** The newest instant, and the sub-windows in ascending order. */
export interface CounterState {
  newest: number;
  subWindows: readonly SubWindow[];
}

/** Units by sub-windows, each of which counts whole. Decides like lua/limiter/sliding-counter.lua. */
export const slidingCounter: StateAlgorithm<CounterState> = {
  read(state, call) {
    const { cost, limit, windowMs, clock } = call;
    const current = subWindowsInWindow(state, call);
    const used = sumOf(current);
    let mustLeave = used + Math.max(cost, 1) - limit;
    if (mustLeave > used) return readingOf(state, call, windowMs);
    let retryAfterMs = 0;
    for (const { lastMs, count } of current) {
      if (mustLeave <= 0) break;
      mustLeave -= count;
      retryAfterMs = lastMs + windowMs - clock;
    }
    return readingOf(state, call, retryAfterMs);
  },

  charge(state, call) {
    const newest = nowOf(state, call);
    const nowEnd = endOfSubWindow(newest, call);
    const subWindows = addUnits(subWindowsInWindow(state, call), { lastMs: nowEnd, count: call.cost });
    const next = { newest, subWindows };
    const reading = readingOf(next, call, 0);
    if (reading.used >= call.limit) reading.retryAfterMs = reading.resetMs;
    return { state: next, reading, ttlMs: nowEnd - newest + call.windowMs };
  },

  // The sub-window may have left.
  refund(state, { at, units, ...numbers }) {
    const chargedEnd = endOfSubWindow(at, numbers);
    const subWindows = state.subWindows.map(({ lastMs, count }) => ({
      lastMs,
      count: lastMs === chargedEnd ? Math.max(0, count - units) : count,
    }));
    return { ...state, subWindows: subWindows.filter(({ count }) => count > 0) };
  },
};

function nowOf(state: CounterState | undefined, { clock }: LevelCall): number {
  return Math.max(clock, state?.newest ?? 0);
}

function readingOf(state: CounterState | undefined, call: LevelCall, retryAfterMs: number): Reading {
  const current = subWindowsInWindow(state, call);
  const [oldest] = current;
  const resetMs = oldest ? oldest.lastMs + call.windowMs - call.clock : 0;
  return { now: nowOf(state, call), used: sumOf(current), retryAfterMs, resetMs };
}

/** Returns the sub-windows in the window. None ends after the sub-window of the newest instant. */
function subWindowsInWindow(state: CounterState | undefined, call: LevelCall): readonly SubWindow[] {
  if (!state) return [];
  const from = nowOf(state, call) - call.windowMs;
  const current = endUntil(state.subWindows, endOfSubWindow(state.newest, call));
  const first = current.findIndex(({ lastMs }) => lastMs > from);
  return first === -1 ? [] : current.slice(first);
}

/** Returns sub-windows that end at `end` at the latest. They end later only if the length of sub-windows has changed. */
function endUntil(subWindows: readonly SubWindow[], end: number): readonly SubWindow[] {
  if ((subWindows.at(-1)?.lastMs ?? 0) <= end) return subWindows;
  const earlier = subWindows.filter(({ lastMs }) => lastMs < end);
  return [...earlier, { lastMs: end, count: sumOf(subWindows.slice(earlier.length)) }];
}

/** Returns the last millisecond of the sub-window of an instant. */
function endOfSubWindow(instant: number, { windowMs, subWindows }: Pick<Numbers, 'windowMs' | 'subWindows'>) {
  const length = Math.ceil(windowMs / subWindows);
  return instant - (instant % length) + length - 1;
}

/** Adds units at the end. */
function addUnits(subWindows: readonly SubWindow[], { lastMs, count }: SubWindow): SubWindow[] {
  const last = subWindows.at(-1);
  if (last?.lastMs !== lastMs) return [...subWindows, { lastMs, count }];
  return [...subWindows.slice(0, -1), { lastMs, count: last.count + count }];
}

function sumOf(subWindows: readonly SubWindow[]): number {
  return subWindows.reduce((sum, { count }) => sum + count, 0);
}
