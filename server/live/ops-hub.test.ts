import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOpsHub } from './ops-hub';
import type { OpsState } from './ops-state';

/** Five minutes of a dozen policies with two levels each, whose names are long. */
const state: OpsState = {
  ...{ serverNow: 300_000, stale: false, rates: [], windows: [], bans: 0, nodes: [], viewers: 0 },
  latency: null,
  health: {},
  alerts: { active: [], recent: [] },
  history: Array.from({ length: 300 }, (_, second) => ({
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
    return { ...state, viewers };
  };
  const hub = createOpsHub({ read, log: { warn: () => undefined, info: () => undefined } });
  const viewer = new StalledViewer();
  hub.add(viewer);
  await vi.advanceTimersByTimeAsync(0);
  const first = viewer.writableLength;
  expect(first).toBeGreaterThan(800_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(viewer.writableLength).toBeGreaterThan(first);
  expect(viewer.isCut).toBe(false);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(viewer.isCut).toBe(true);
  hub.close();
});
