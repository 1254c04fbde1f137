import { expect, it } from 'vitest';
import { measureFrameRate, measureMainThread } from './measure-main-thread.mjs';

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

it('counts drawn frames a second from the first to the last', () => {
  const drawn = [0, 16_000, 32_000, 50_000].map((ts) => ({ name: 'DrawFrame', ph: 'I', pid: 7, tid: 2, ts }));
  // 3 frames in 50 ms
  expect(measureFrameRate([main(7), task(7, 0, 1_000_000), ...drawn])).toBeCloseTo(60);
  expect(() => measureFrameRate(drawn.slice(1, 2))).toThrow(RangeError);
});

it('refuses a trace without a page', () => {
  expect(() => measureMainThread([task(7, 0, 100)])).toThrow(RangeError);
});
