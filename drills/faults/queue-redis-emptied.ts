import type { Drill } from '../drill';
import { queueSale, WAITING } from '../queue-size';
import { redisEmptied } from './redis-emptied';

/** The tickets are lost with the data. Their shoppers see it and join again. */
export const queueRedisEmptied: Drill = {
  ...redisEmptied,
  ...queueSale,
  name: 'queue-redis-emptied',
  description: 'kill -9 Redis while 500 tickets wait; it restarts empty',
  async inject(scene) {
    if (!(await scene.waitForWaiting(WAITING))) scene.reportProblem('too few tickets wait');
    scene.markFault();
    await redisEmptied.inject(scene);
  },
};
