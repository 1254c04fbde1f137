import type { LiveWindow } from '../_live/live-event';
import type { WindowState } from '../_trpc/types';

/**
 * What a window says of its units: `sliding` gives each back when it is as old as the window, `fixed` all at its end,
 * `tokens` and `queue` one after the other at an even rate.
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
 * A window read from headers names no algorithm. It is drawn as the default one, and so is an algorithm that this page is
 * too old for.
 */
export function countingOf({ algorithm = '' }: Pick<LiveWindow, 'algorithm'>): Counting {
  return isAlgorithm(algorithm) ? countings[algorithm] : 'sliding';
}

export function isAlgorithm(name: string | undefined): name is WindowState['algorithm'] {
  return name !== undefined && Object.hasOwn(countings, name);
}
