/** A recent date, so that stored timestamps have a realistic length. */
const BASE_INSTANT = Date.UTC(2026, 0, 1);

/** Returns the epoch ms of 0 on the lab's clock, an edge of the fixed windows of that length. */
export function clockOrigin(windowMs: number): number {
  return Math.ceil(BASE_INSTANT / windowMs) * windowMs;
}
