import { useState } from 'react';
import type { Clock } from '../_live/clock';
import { useViewer } from '../_shell/viewer-provider';
import type { Coupon } from '../_trpc/types';

/** The pause between two rounds of a demo sale. */
const ROUND_PAUSE_MS = 30_000;

interface Options {
  coupon: Pick<Coupon, 'kind' | 'endsAt'>;
  state: Coupon['state'];
  /** The server's clock. */
  clock: Clock;
}

/**
 * Returns the start of a demo's next round on the server's clock; `undefined` if there is none, or if this page did
 * not see the last one end.
 */
export function useNextRound({ coupon: { kind, endsAt }, state, clock }: Options): number | undefined {
  const { demo } = useViewer();
  const [seen, setSeen] = useState<{ state: Coupon['state']; soldOutAt?: number }>({ state });

  if (seen.state !== state) {
    setSeen(seen.state === 'live' && state === 'sold-out' ? { state, soldOutAt: clock.now() } : { state });
  }

  if (!demo || kind !== 'seckill') return undefined;
  if (state === 'ended') return endsAt + ROUND_PAUSE_MS;
  return state === 'sold-out' && seen.soldOutAt !== undefined ? seen.soldOutAt + ROUND_PAUSE_MS : undefined;
}
