import type { Coupon } from '../_trpc/types';
import type { BadgeTone } from './ui/status';

/** The badge colour of each coupon state. */
export const couponTones = {
  upcoming: 'next',
  live: 'accent',
  paused: 'wait',
  'sold-out': 'neutral',
  ended: 'neutral',
} satisfies Record<Coupon['state'], BadgeTone>;
