import { expect, test } from 'vitest';
import { getRetryDelayMs } from './retry-timer';

test.each([
  { failures: 0, latest: 5_000, soonest: 3_750 },
  { failures: 1, latest: 10_000, soonest: 7_500 },
  { failures: 2, latest: 20_000, soonest: 15_000 },
  // 5 s × 2³ = 40 s, of which 30 s are allowed.
  { failures: 3, latest: 30_000, soonest: 22_500 },
  { failures: 100, latest: 30_000, soonest: 22_500 },
])(
  'after $failures failures the next retry is $soonest to $latest ms away',
  ({ failures, latest, soonest }) => {
    expect(getRetryDelayMs(failures, () => 0)).toBe(latest);
    expect(getRetryDelayMs(failures, () => 1)).toBe(soonest);
  },
);
