import { useServerClock } from '../../_live/live-provider';
import { useNow } from '../../_live/use-now';

/** All nodes have reported a second this long after its start, in ms. */
export const SETTLE_MS = 2_000;

const nextSecond = (now: number) => (Math.floor(now / 1_000) + 1) * 1_000;

/** Returns the current second of the server's clock in epoch ms; 0 on the server and in the first render. */
export function useSecond(): number {
  const clock = useServerClock();
  return Math.floor(useNow({ clock, initial: 0, nextAt: nextSecond }) / 1_000) * 1_000;
}
