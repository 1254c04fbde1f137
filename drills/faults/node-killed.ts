import { saleKeys } from '../../server/redis/keys';
import { lockCoupon } from '../../test/ledger-lock';
import { connectTestRedis } from '../../test/redis';
import { eventually } from '../../test/until';
import type { Drill } from '../drill';

/**
 * The minimum number of orders in the outbox when their node dies. The short drill has 15 coupons left for the second window,
 * which remain if the lock is taken when the first window is full.
 */
const RESERVED = 10;

/** A lock delays the ledger, so that the orders exist only in the outbox. */
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
      await eventually(async () => (await reserved()) >= RESERVED, 'orders are reserved but not written');
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
