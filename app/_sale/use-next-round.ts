import { useState } from 'react';
import type { Clock } from '../_live/clock';
import { useViewer } from '../_shell/viewer-provider';
import type { Coupon } from '../_trpc/types';

/** A demo opens the next round of a sale this long after it sold out or ended. */
const pauseMs = 30_000;

interface Options {
  coupon: Pick<Coupon, 'kind' | 'endsAt'>;
  state: Coupon['state'];
  /** The server's. */
  clock: Clock;
}

/**
 * When the next round of a demo's sale opens, on the server's clock; `undefined` where there is none, or where nobody
 * here saw the last one go.
 */
export function useNextRound({ coupon: { kind, endsAt }, state, clock }: Options): number | undefined {
  const { demo } = useViewer();
  const [seen, setSeen] = useState<{ state: Coupon['state']; soldOutAt?: number }>({ state });

  if (seen.state !== state) {
    setSeen(seen.state === 'live' && state === 'sold-out' ? { state, soldOutAt: clock.now() } : { state });
  }

  if (!demo || kind !== 'seckill') return undefined;
  if (state === 'ended') return endsAt + pauseMs;
  return state === 'sold-out' && seen.soldOutAt !== undefined ? seen.soldOutAt + pauseMs : undefined;
}
