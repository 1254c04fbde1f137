/**
 * A process with the sale of a node, for a test that kills it. It buys one coupon for one shopper, sends the outcome, and
 * keeps running. Arguments: database, Redis, node name, coupon, shopper.
 */
import process from 'node:process';
import { createDatabase } from '../server/db/client';
import { startTestSale } from './sale';

const [databaseUrl = '', redisUrl = '', nodeName = '', couponId = '', userId = ''] = process.argv.slice(2);

const { db } = createDatabase({ url: databaseUrl, pglite: false });
const sale = await startTestSale({ db, redisUrl, nodeName });
const outcome = await sale.purchase({
  kind: 'seckill',
  couponId,
  userId,
  deadline: performance.now() + 5_000,
});
process.send?.(outcome);
