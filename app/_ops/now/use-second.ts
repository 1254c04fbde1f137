import { useServerClock } from '../../_live/live-provider';
import { useNow } from '../../_live/use-now';

/** All nodes have reported a second this long after its start, in ms. */
const SETTLE_MS = 2_000;

const nextSecond = (now: number) => (Math.floor(now / 1_000) + 1) * 1_000;

/** Returns the start of the last second that all nodes have reported, epoch ms by the server's clock; negative at first. */
export function useSettledSecond(): number {
  const clock = useServerClock();
  const now = useNow({ clock, initial: 0, nextAt: nextSecond });
  return Math.floor(now / 1_000) * 1_000 - SETTLE_MS;
}
