import { type Catalog, createCatalog } from './coupons/catalog';
import { createGate, LEDGER_GROUP } from './coupons/gate';
import { createGateKeeper } from './coupons/gate-keeper';
import { createPurchase, type PurchaseOptions, type PurchaseOutcome } from './coupons/purchase';
import { rebuildGate } from './coupons/rebuild';
import type { Db } from './db/client';
import type { Log } from './observability/log';
import type { Metrics } from './observability/metrics';
import { createLedger } from './orders/ledger';
import type { Order } from './orders/order';
import { createOutbox } from './orders/outbox';
import { reservationsOf } from './orders/reservations';
import { hearSettled, publishSettled } from './orders/settled-news';
import { createShopperOrders, type ShopperOrders } from './orders/shopper-orders';
import { createWaitingCalls } from './orders/waiting-calls';
import type { RedisClient } from './redis/client';
import { storeNow } from './redis/store-clock';
import { repeat } from './repeat';

/** The sale as one node runs it: gate, ledger and what looks after them. */
export interface Sale {
  catalog: Catalog;
  purchase: (options: PurchaseOptions) => Promise<PurchaseOutcome>;
  shopperOrders: ShopperOrders;
  /** Gives a coupon that has just come up its gate. */
  openGate: (couponId: string) => Promise<boolean>;
  /** Age of the oldest order that is not in Postgres yet, in ms. */
  ledgerLagMs: () => number;
  stop(): Promise<void>;
}

export interface SaleOptions {
  db: Db;
  /** For purchases, which must not wait behind anything. */
  decisions: RedisClient;
  /** For the ledger, the keeper and the displays. */
  background: RedisClient;
  /** For news only. */
  subscriber: RedisClient;
  /** This node's name, the same across its restarts. */
  node: string;
  metrics: Metrics;
  log: Log;
}

const SWEEP_EVERY_MS = 1_000;

/** Starts the sale on this node. */
export async function startSale({
  db,
  decisions,
  background,
  subscriber,
  node,
  metrics,
  log,
}: SaleOptions): Promise<Sale> {
  const now = () => storeNow(background);
  const gate = createGate({ redis: decisions });
  const catalog = createCatalog({ db, gate, now });
  const keeper = createGateKeeper({
    gate,
    rebuild: (couponId) => rebuildGate({ db, gate, redis: background }, couponId),
    openCoupons: catalog.openIds,
    log,
  });

  const waitingCalls = createWaitingCalls();
  await hearSettled(subscriber, waitingCalls.tell);
  const tell = async (orders: Order[]) => {
    waitingCalls.tell(orders);
    for (const { status } of orders) metrics.order(status);
    await publishSettled(background, orders);
  };
  const ledger = createLedger({
    db,
    outbox: createOutbox({ redis: background, group: LEDGER_GROUP, consumer: node }),
    activeCoupons: catalog.activeIds,
    release: gate.release,
    onSettled: tell,
    now,
    log,
  });

  const shopperOrders = createShopperOrders({
    db,
    reservationsOf: async (userId) =>
      reservationsOf(background, { userId, couponIds: await catalog.activeIds() }),
  });
  const purchase = createPurchase({
    gate,
    ensureGate: keeper.ensure,
    kindOf: catalog.kindOf,
    waitingCalls,
    kickLedger: ledger.kick,
    findOrder: shopperOrders.find,
    onOutcome: metrics.purchase,
  });

  // A node that listens has its gates open, as far as it is this node that opens them.
  await keeper.sweep();
  const report = (what: string) => (error: unknown) =>
    log.warn({ err: error }, `${what} failed; it goes on trying.`);
  const jobs = [
    repeat(keeper.sweep, { everyMs: SWEEP_EVERY_MS, onFailure: report('Looking after the gates') }),
    repeat(
      async () => {
        await ledger.sweep();
        metrics.setLedgerLag(ledger.lagMs() / 1000);
      },
      { everyMs: SWEEP_EVERY_MS, onFailure: report('Looking through the outboxes') },
    ),
  ];

  return {
    catalog,
    purchase,
    shopperOrders,
    openGate: keeper.ensure,
    ledgerLagMs: ledger.lagMs,
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await ledger.stop();
    },
  };
}
