import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { scheduleRedraws } from './use-now';

beforeEach(() => vi.useFakeTimers({ now: 10_000 }));
afterEach(() => vi.useRealTimers());

test('an unchanged picture is not redrawn', () => {
  const { drawings } = follow({ changes: [12_000], drawn: 9_000 });
  vi.advanceTimersByTime(1_999);
  expect(drawings).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(drawings).toEqual([12_000]);
  vi.advanceTimersByTime(120_000);
  expect(drawings).toEqual([12_000]);
});

test('a change before the start is drawn at once', () => {
  const { drawings } = follow({ changes: [9_500], drawn: 9_000 });
  expect(drawings).toEqual([10_000]);
});

test('a timer that fires too early loses no change', () => {
  const { drawings, clock } = follow({ changes: [11_000], drawn: 9_000 });
  clock.aheadMs = -1;
  vi.advanceTimersByTime(1_000);
  expect(drawings).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(drawings).toEqual([11_049]);
});

test('a deliberately delayed change is drawn although its instant has passed', () => {
  const drawings: number[] = [];
  // The hit leaves at 9 050 and is drawn 1 200 ms after the last drawing, as a meter limits its update rate.
  const nextAt = (now: number) => (now < 9_050 ? Math.max(now + 1_200, 9_050) : undefined);
  scheduleRedraws({ clock: { now: Date.now }, nextAt, drawn: 9_000, redraw: (now) => drawings.push(now) });
  vi.advanceTimersByTime(1_000);
  expect(drawings).toEqual([10_200]);
});

test('changes within 50 ms are drawn together', () => {
  const { drawings } = follow({ changes: [10_100, 10_101, 10_120, 10_149], drawn: 10_000 });
  vi.advanceTimersByTime(1_000);
  expect(drawings).toEqual([10_100, 10_150]);
});

test('a clock set back over a change causes a redraw within 30 s', () => {
  const { drawings, clock } = follow({ changes: [10_000, 90_000], drawn: 10_000 });
  clock.aheadMs = -60_000;
  vi.advanceTimersByTime(30_000);
  expect(drawings).toEqual([-20_000]);
});

test('no timer remains after the stop', () => {
  const { stop } = follow({ changes: [11_000], drawn: 10_000 });
  stop();
  expect(vi.getTimerCount()).toBe(0);
});

function follow({ changes, drawn }: { changes: number[]; drawn: number }) {
  const clock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs };
  const drawings: number[] = [];
  const stop = scheduleRedraws({
    clock,
    nextAt: (now) => changes.find((change) => change > now),
    drawn,
    redraw: (now) => drawings.push(now),
  });
  return { drawings, clock, stop };
}
