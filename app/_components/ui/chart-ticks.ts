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
