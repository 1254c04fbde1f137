import type { Drill } from '../drill';
import { awaitTickets, queueSale } from '../queue-size';
import { clusterFailover } from './cluster-failover';

export const queueFailover: Drill = {
  ...clusterFailover,
  ...queueSale,
  name: 'queue-failover',
  description:
    'the masters of the gate and of the queue die while 500 tickets wait, and their replicas are promoted',
  async inject(scene) {
    await awaitTickets(scene);
    scene.markFault();
    await clusterFailover.inject(scene);
  },
};
