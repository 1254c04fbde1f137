import type { Drill } from '../drill';
import { awaitTickets, queueSale } from '../queue-size';
import { redisFrozen } from './redis-frozen';

export const queueRedisFrozen: Drill = {
  ...redisFrozen,
  ...queueSale,
  name: 'queue-redis-frozen',
  description: 'Redis is frozen for 10 s (SIGSTOP) while 500 tickets wait',
  async inject(scene) {
    await awaitTickets(scene);
    scene.markFault();
    await redisFrozen.inject(scene);
  },
};
