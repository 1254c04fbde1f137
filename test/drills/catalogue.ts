import type { Drill } from './drill';
import { redisKilled } from './faults/redis-killed';

/** Every drill, in the order of the table. */
export const drills: readonly Drill[] = [redisKilled];
