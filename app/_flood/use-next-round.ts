import { useState } from 'react';
import type { Clock } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import type { Coupon } from '../_trpc/types';

/** The pause between two rounds of a demo sale. A test compares it with the server's. */
export const ROUND_PAUSE_MS = 30_000;

interface Options {
  coupon: Pick<Coupon, 'id' | 'endsAt' | 'hasNextRound'>;
  /** The present state of the coupon. */
  state: Coupon['state'];
  /** The server's clock. */
  clock: Clock;
}

/**
 * Returns the whole seconds until a demo's next round: 0 while the coupon is not over or if it has none, and `undefined` if
 * it had sold out before this was first rendered, so that the instant is unknown.
 */
export function useNextRound({ coupon, state, clock }: Options): number | undefined {
  const { id, endsAt, hasNextRound } = coupon;
  const [seen, setSeen] = useState<{ id: string; state: Coupon['state']; soldOutAt?: number }>({ id, state });

  if (seen.id !== id) setSeen({ id, state });
  else if (seen.state !== state) {
    const hasSoldOut = seen.state === 'live' && state === 'sold-out';
    setSeen(hasSoldOut ? { id, state, soldOutAt: clock.now() } : { id, state });
  }

  const overAt = state === 'ended' ? endsAt : seen.soldOutAt;
  const inSeconds = useCountdown({ clock, until: overAt && overAt + ROUND_PAUSE_MS });
  if (!hasNextRound) return 0;
  return state === 'sold-out' && overAt === undefined ? undefined : inSeconds;
}
