/** The steps of an axis of time, in ms. */
const timeSteps = [
  ...[100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000],
  ...[60_000, 120_000, 180_000, 300_000, 600_000, 900_000, 1_800_000],
];
const LONGEST_STEP_MS = 3_600_000;
/** Intervals that fit on a phone. */
const MAX_INTERVALS = 4;

/**
 * Lists the labels of an axis of time, in ms: multiples of a step of a clock. Example: 0 to 30,000 gives 0, 10,000, 20,000 and
 * 30,000.
 */
export function listTimes(from: number, to: number): number[] {
  const step = timeSteps.find((one) => one * MAX_INTERVALS >= to - from) ?? LONGEST_STEP_MS;
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * step);
}

/** CSS pixels of a chart below and above its plot: the times, and half of the highest label. */
const CHART_EDGES = 36;
/** The least distance of two labels, in CSS pixels. */
const MIN_TICK_GAP = 36;
/** Room above the highest value, so that a line at the limit and its label are within the drawing. */
const HEADROOM = 1.1;

/**
 * Returns the vertical axis of a chart of counts: its top, and round values of which the last is at or above the highest
 * count. Example: up to 8 in a chart of 132 px gives 0, 5, 10.
 */
export function createCountAxis(
  highest: number,
  { height }: { height: number },
): { top: number; ticks: number[] } {
  for (let power = 1; ; power *= 10) {
    for (const step of [power, 2 * power, 5 * power]) {
      const count = Math.max(1, Math.ceil(highest / step));
      const top = Math.max(count * step, highest * HEADROOM);
      if (count > 1 && (step / top) * (height - CHART_EDGES) < MIN_TICK_GAP) continue;
      return { top, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
    }
  }
}
