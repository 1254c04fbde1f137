import { expect, test } from 'vitest';
import { getRetryDelayMs } from './retry-delay';

test.each([
  { answers: 0, latest: 5_000, soonest: 3_750 },
  { answers: 1, latest: 10_000, soonest: 7_500 },
  { answers: 2, latest: 20_000, soonest: 15_000 },
  // 5 s × 2³ = 40 s, of which 30 s are allowed.
  { answers: 3, latest: 30_000, soonest: 22_500 },
  { answers: 100, latest: 30_000, soonest: 22_500 },
])(
  'after $answers failures the next retry is $soonest to $latest ms away',
  ({ answers, latest, soonest }) => {
    expect(getRetryDelayMs(answers, () => 0)).toBe(latest);
    expect(getRetryDelayMs(answers, () => 1)).toBe(soonest);
  },
);
