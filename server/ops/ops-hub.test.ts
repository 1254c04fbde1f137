import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOpsEncoder, createOpsHub, type OpsState } from './ops-hub';

const point = (second: number) => ({
  at: second * 1_000,
  levels: [{ policy: 'claim', level: 'user', admitted: 1, refused: 0, banned: 0, degraded: 0 }],
});

const state: OpsState = {
  ...{
    serverNow: 300_000,
    stale: false,
    rates: [],
    queues: [],
    leased: [],
    bans: 0,
    nodes: [],
    viewers: 0,
    latency: null,
  },
  windows: [
    {
      ...{ policy: 'claim', level: 'user', algorithm: 'sliding-log', mode: 'enforce', limit: 1 },
      ...{ windowMs: 60_000, used: 1, remaining: 0, hits: [290_000], retryAfterMs: 50_000 },
    },
  ],
  history: Array.from({ length: 300 }, (_, second) => point(second)),
  health: { ledger: { ok: true, detail: '12 ms behind' } },
  alerts: { active: [], recent: [] },
};

function dataOf(bytes: Buffer | undefined): OpsState {
  const [, data = ''] = /^event: ops\ndata: (.*)\n\n$/s.exec(String(bytes)) ?? [];
  return JSON.parse(data);
}

test('the first event has all seconds, and each later one repeats the last ten', () => {
  const { first, next } = createOpsEncoder();
  expect(dataOf(first(state, {}))).toEqual(state);
  const later = { ...state, viewers: 9 };
  expect(dataOf(next(later))).toEqual({ ...later, history: state.history.slice(290) });
});

/** Returns true if a change of the state has an event. */
function isSent(change: Partial<OpsState>): boolean {
  const { first, next } = createOpsEncoder();
  first(state, {});
  return next({ ...state, ...change }) !== undefined;
}

const unchanged: [string, Partial<OpsState>][] = [
  ['time that passes', { serverNow: 301_000 }],
  ['a countdown', { windows: state.windows.map((window) => ({ ...window, retryAfterMs: 49_000 })) }],
  ['how well a thing is that is well', { health: { ledger: { ok: true, detail: '3 ms behind' } } }],
  ['a second that grows too old', { history: state.history.slice(1) }],
];
test.each(unchanged)('%s is no change', (_what, change) => {
  expect(isSent(change)).toBe(false);
});

const changed: [string, Partial<OpsState>][] = [
  ['a hit that leaves', { windows: state.windows.map((window) => ({ ...window, used: 0, hits: [] })) }],
  ['a new second', { history: [...state.history.slice(1), point(300)] }],
  ['a thing that fails', { health: { ledger: { ok: false, detail: '16000 ms behind' } } }],
  ['a viewer', { viewers: 1 }],
  ['a ban, or one less', { bans: 1 }],
  ['a Redis that is down', { stale: true }],
];
test.each(changed)('%s is a change', (_what, change) => {
  expect(isSent(change)).toBe(true);
});

/** Ten minutes of a dozen policies with two levels each, whose names are long. */
const tenMinutes: OpsState = {
  ...{
    serverNow: 600_000,
    stale: false,
    rates: [],
    queues: [],
    leased: [],
    windows: [],
    bans: 0,
    nodes: [],
    viewers: 0,
  },
  latency: null,
  health: {},
  alerts: { active: [], recent: [] },
  history: Array.from({ length: 600 }, (_, second) => ({
    at: second * 1_000,
    levels: Array.from({ length: 24 }, (_, level) => ({
      ...{ policy: 'a policy whose name is long', level: `level-${level}` },
      ...{ admitted: 1_000, refused: 1_000, banned: 1_000, degraded: 1_000 },
    })),
  })),
};

/** Reads no data from its stream. */
class StalledViewer extends EventEmitter {
  writableLength = 0;
  isCut = false;
  write(chunk: Buffer): boolean {
    this.writableLength += chunk.length;
    return false;
  }
  end(): void {
    this.emit('close');
  }
  destroy(): void {
    this.isCut = true;
  }
}

test('an operator who still reads the history gets the following events; one who reads nothing is disconnected', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let viewers = 0;
  const read = async () => {
    viewers += 1;
    return { ...tenMinutes, viewers };
  };
  const hub = createOpsHub({ read, log: { warn: () => undefined, info: () => undefined } });
  const viewer = new StalledViewer();
  hub.add(viewer);
  await vi.advanceTimersByTimeAsync(0);
  const first = viewer.writableLength;
  expect(first).toBeGreaterThan(1_600_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(viewer.writableLength).toBeGreaterThan(first);
  expect(viewer.isCut).toBe(false);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(viewer.isCut).toBe(true);
  hub.close();
});
