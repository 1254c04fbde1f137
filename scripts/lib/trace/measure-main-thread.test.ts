import { expect, it } from 'vitest';
import { measureBlocked, measureFrameRate, measureMainThread } from './measure-main-thread.mjs';

const main = (pid: number) => ({
  ...{ name: 'thread_name', ph: 'M', pid, tid: 1, ts: 0 },
  args: { name: 'CrRendererMain' },
});
const task = (pid: number, ts: number, dur: number, name = 'ThreadControllerImpl::RunTask') => ({
  ...{ name, ph: 'X', pid, tid: 1, ts, dur },
});

it('counts overlapping tasks once', () => {
  const events = [
    main(7),
    task(7, 1_000, 1_000),
    // The same task under its other name, a nested one, and an overlapping one.
    task(7, 1_010, 980, 'RunTask'),
    task(7, 1_200, 100),
    task(7, 1_900, 600),
    task(9, 0, 10_000),
  ];
  // 1 000…2 500 of 0…10 000
  expect(measureMainThread(events)).toEqual({ busyShare: 0.15, longestTaskMs: 1 });
});

it('measures only tasks, of the busiest page', () => {
  const events = [main(7), main(8), task(7, 0, 100), task(8, 0, 2_000), task(8, 0, 10_000, 'Layout')];
  expect(measureMainThread(events)).toEqual({ busyShare: 0.2, longestTaskMs: 2 });
});

it('counts the processor time above 50 ms of each task after the first paint, on a slower device', () => {
  const paint = { name: 'firstContentfulPaint', ph: 'R', pid: 7, tid: 1, ts: 100_000 };
  const withProcessorTime = (ts: number, dur: number, tdur: number) => ({ ...task(7, ts, dur), tdur });
  const events = [
    main(7),
    withProcessorTime(0, 90_000, 90_000),
    withProcessorTime(100_000, 40_000, 20_000),
    withProcessorTime(150_000, 40_000, 12_000),
    withProcessorTime(200_000, 30_000, 30_000),
  ];
  // 4 × 20 − 50, nothing for 4 × 12, 4 × 30 − 50
  expect(measureBlocked([...events, paint], { slowdown: 4 })).toBeCloseTo(100);
  expect(() => measureBlocked(events, { slowdown: 4 })).toThrow(RangeError);
});

it('counts drawn frames a second from the first to the last', () => {
  const drawn = [0, 16_000, 32_000, 50_000].map((ts) => ({ name: 'DrawFrame', ph: 'I', pid: 7, tid: 2, ts }));
  // 3 frames in 50 ms
  expect(measureFrameRate([main(7), task(7, 0, 1_000_000), ...drawn])).toBeCloseTo(60);
  expect(() => measureFrameRate(drawn.slice(1, 2))).toThrow(RangeError);
});

it('refuses a trace without a page', () => {
  expect(() => measureMainThread([task(7, 0, 100)])).toThrow(RangeError);
});
