/**
 * Lists the round values of an axis from `from` to `to`: multiples of 1, 2 or 5 × 10ⁿ, at most `max` intervals apart.
 * Example: 0 to 26 in 5 intervals gives 0, 10, 20.
 */
export function listTicks(from: number, to: number, max: number): number[] {
  const least = (to - from) / max;
  if (!(least > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step);
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
