import { useServerClock } from '../../_live/live-provider';
import { useNow } from '../../_live/use-now';
import { useOpsFeed } from '../live/ops-feed-provider';

/** All nodes have reported a second this long after its start, in ms. */
const SETTLE_MS = 2_000;

const nextSecond = (now: number) => (Math.floor(now / 1_000) + 1) * 1_000;
const never = () => undefined;

/**
 * Returns the start of the last second that all nodes have reported, epoch ms by the server's clock; negative before the
 * first event, because there is nothing to draw until then.
 */
export function useSettledSecond(): number {
  const clock = useServerClock();
  const hasEvent = useOpsFeed(({ event }) => event !== undefined);
  const now = useNow({ clock, initial: 0, nextAt: hasEvent ? nextSecond : never });
  return Math.floor(now / 1_000) * 1_000 - SETTLE_MS;
}
