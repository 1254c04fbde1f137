import { saleKeys } from '../../server/redis/keys';
import { lockCoupon } from '../../test/ledger-lock';
import { connectTestRedis } from '../../test/redis';
import type { Drill } from '../drill';
import { eventually } from '../eventually';

/** At least so many orders lie in the outbox when the node dies that has to write them. */
const RESERVED = 20;

/** The gate has said yes, and the ledger, held up by a lock, has not written it: only the outbox knows. */
export const nodeKilled: Drill = {
  name: 'node-killed',
  description: 'kill -9 a node whose orders are between gate and ledger',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, couponId, markFault, note }) {
    const redis = await connectTestRedis(topology.store.url);
    const lock = await lockCoupon(topology.ledger.url, couponId);
    try {
      const reserved = () => redis.xlen(saleKeys(couponId).outbox);
      await eventually(async () => (await reserved()) >= RESERVED, 'orders are reserved and not written');
      note(`${await reserved()} orders were between gate and ledger`);
      markFault();
      await topology.nodes[0]?.server.kill();
    } finally {
      await lock.release();
      redis.disconnect();
    }
    await topology.nodes[0]?.server.waitUntilRunning();
  },
};
