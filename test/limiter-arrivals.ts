import fc from 'fast-check';
import { type Call, TODAY } from './limiter-level';
import type { LevelNumbers } from './limiter-oracle';

/** Shortly before the lower 32 bits of an instant overflow. */
const NEAR_ROLL_OVER = 418 * 2 ** 32 - 150;

export const someNumbers = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  windowMs: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 400 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 31_536_000_000 }) },
  ),
  subWindows: fc.integer({ min: 1, max: 12 }),
});

/** The step of the clock to the next call: some milliseconds or part of a window, sometimes backwards. */
export const someStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ ms: fc.integer({ min: 0, max: 40 }), windows: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ ms: fc.integer({ min: -60, max: 0 }), windows: fc.constant(0) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ms: fc.integer({ min: -2, max: 2 }),
      windows: fc.constantFrom(-0.5, 0.1, 0.2, 0.25, 0.5, 1, 1.1, 2),
    }),
  },
);
export const someArrivals = fc.array(fc.record({ step: someStep, cost: fc.integer({ min: 0, max: 12 }) }), {
  minLength: 1,
  maxLength: 30,
});
export const someStart = fc.constantFrom(TODAY, NEAR_ROLL_OVER);

/** Converts steps to calls on a clock. */
export function toCalls(
  start: number,
  arrivals: { step: { ms: number; windows: number }; cost: number; numbers: LevelNumbers }[],
): Call[] {
  let clock = start;
  return arrivals.map(({ step, cost, numbers }) => {
    clock = Math.max(0, clock + step.ms + Math.round(step.windows * numbers.windowMs));
    // Most calls cost 1. No call may cost more than the limit.
    return { clock, cost: cost > 8 ? 1 : Math.min(cost, numbers.limit), numbers };
  });
}
