import process from 'node:process';
import { createDatabase } from '../server/db/client';
import { startTestSale } from './sale';

/**
 * A node's sale in a process of its own, for a test that kills it: buys one coupon for one shopper, says what came of
 * it, and stays. Arguments: database, Redis, node's name, coupon, shopper.
 */
const [databaseUrl = '', redisUrl = '', node = '', couponId = '', userId = ''] = process.argv.slice(2);

const { db } = createDatabase({ url: databaseUrl, pglite: false });
const sale = await startTestSale({ db, redisUrl, node });
const outcome = await sale.purchase({
  kind: 'seckill',
  couponId,
  userId,
  deadline: performance.now() + 5_000,
});
process.send?.(outcome);
