import { pino } from 'pino';
import type { CallAccess, Db } from '../server/db/client';
import { createMetrics, type Metrics } from '../server/observability/metrics';
import { LEDGER_LAG_BOUND, type LedgerLagBound } from '../server/sale/gate/gate';
import type { ConnectProvider } from '../server/sale/orders/payment-provider';
import { type Sale, startSale } from '../server/sale/sale';
import { startJobs } from '../server/timers';
import { connectTestRedis } from './redis';

/** Starts the sale of a node and its jobs like the product. `stop` also stops the jobs and closes the Redis clients. */
export async function startTestSale({
  db,
  calls = { readDb: db, runRead: (read) => read(), runChange: (change) => change() },
  redisUrl,
  nodeName = 'test-node',
  lagBound = LEDGER_LAG_BOUND,
  metrics = createMetrics(),
  connectProvider,
}: {
  db: Db;
  /** Default: unlimited access to `db`. */
  calls?: CallAccess;
  redisUrl: string;
  nodeName?: string;
  lagBound?: LedgerLagBound;
  metrics?: Metrics;
  connectProvider?: ConnectProvider;
}): Promise<Sale> {
  const [decisions, background, subscriber] = await Promise.all([
    connectTestRedis(redisUrl),
    connectTestRedis(redisUrl),
    connectTestRedis(redisUrl),
  ]);
  const log = pino({ level: 'silent' });
  const sale = await startSale({
    db,
    calls,
    decisions,
    background,
    subscriber,
    nodeName,
    lagBound,
    metrics,
    log,
    connectProvider,
  });
  const jobs = startJobs(sale.jobs, { log, onFailure: () => undefined });
  return {
    ...sale,
    async stop() {
      await jobs.stop();
      await sale.stop();
      for (const client of [decisions, background, subscriber]) client.disconnect();
    },
  };
}
