import type { Drill } from '../drill';
import { queueSale, WAITING } from '../queue-size';
import { clusterFailover } from './cluster-failover';

export const queueFailover: Drill = {
  ...clusterFailover,
  ...queueSale,
  name: 'queue-failover',
  description:
    'the masters of the gate and of the queue die while 500 tickets wait, and their replicas are promoted',
  async inject(scene) {
    if (!(await scene.waitForWaiting(WAITING))) scene.reportProblem('too few tickets wait');
    scene.markFault();
    await clusterFailover.inject(scene);
  },
};
