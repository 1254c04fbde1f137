import { setTimeout as sleep } from 'node:timers/promises';
import type { Drill } from '../drill';

const CHANGES = 120;
const EVERY_MS = 100;
const LIMITS = [60, 100];

/** The bound is the largest effective limit, which is the first one. */
export const limitsFlapping: Drill = {
  name: 'limits-flapping',
  description: 'an operator sets the limit to 60 and back to 100, every 100 ms for 12 s',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ admin, note }) {
    const level = { policy: 'coupon.seckill', level: 'global' };
    let refused = 0;
    for (let change = 0; change < CHANGES; change++) {
      const limit = LIMITS[change % LIMITS.length];
      const [update] = await Promise.allSettled([
        admin.limit.update.mutate({ ...level, limit, why: 'a drill' }),
        sleep(EVERY_MS),
      ]);
      if (update.status === 'rejected') refused += 1;
    }
    await admin.limit.update.mutate({ ...level, limit: LIMITS[1], why: 'the drill is over' });
    note(`${CHANGES - refused} changes of the limit`);
  },
};
