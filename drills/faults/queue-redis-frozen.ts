import type { Drill } from '../drill';
import { queueSale, WAITING } from '../queue-size';
import { redisFrozen } from './redis-frozen';

export const queueRedisFrozen: Drill = {
  ...redisFrozen,
  ...queueSale,
  name: 'queue-redis-frozen',
  description: 'Redis is frozen for 10 s (SIGSTOP) while 500 tickets wait',
  async inject(scene) {
    if (!(await scene.waitForWaiting(WAITING))) scene.reportProblem('too few tickets wait');
    scene.markFault();
    await redisFrozen.inject(scene);
  },
};
