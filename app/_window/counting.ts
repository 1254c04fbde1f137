import type { LiveWindow } from '../_live/live-event';
import type { WindowState } from '../_trpc/types';

/**
 * The way in which units return: `sliding` when each is as old as the window, `fixed` all at its end, `tokens` and
 * `queue` one by one at an even rate.
 */
export type Counting = 'sliding' | 'fixed' | 'tokens' | 'queue';

const countings = {
  'sliding-log': 'sliding',
  'sliding-counter': 'sliding',
  'fixed-window': 'fixed',
  'token-bucket': 'tokens',
  'leaky-bucket': 'queue',
} as const satisfies Record<WindowState['algorithm'], Counting>;

/**
 * Returns the counting of a window. A window from headers names no algorithm; it and unknown algorithms count as
 * sliding.
 */
export function countingOf({ algorithm = '' }: Pick<LiveWindow, 'algorithm'>): Counting {
  return isAlgorithm(algorithm) ? countings[algorithm] : 'sliding';
}

/** Checks that a name from the server is a known algorithm. */
export function isAlgorithm(name: string | undefined): name is WindowState['algorithm'] {
  return name !== undefined && Object.hasOwn(countings, name);
}
