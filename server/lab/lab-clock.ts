/** Long after 1970, so that instants look as they do in a sale. */
const SOME_DAY = Date.UTC(2026, 0, 1);

/** Epoch ms of 0 on the lab's clock: an edge of every window of that length. */
export function clockOrigin(windowMs: number): number {
  return Math.ceil(SOME_DAY / windowMs) * windowMs;
}
