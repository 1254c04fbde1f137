import type { CallAccess, Db } from '../db/client';
import { repeat } from '../job';
import { withinStoreTimeout } from '../limiter';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import type { RedisClient } from '../redis/client';
import { STORE_BUDGET_MS } from '../trpc/deadline';
import { type Catalog, createCatalog } from './coupons/catalog';
import { createCouponIndex } from './coupons/coupon-index';
import { createSaleDesk, type SaleDesk } from './coupons/run-sale';
import { createSharedReading } from './coupons/shared-reading';
import { stockLeft } from './coupons/stock';
import { createAmendGate } from './gate/amend-gate';
import { createAuditLooks } from './gate/audit-peeks';
import { type Auditor, createAuditor } from './gate/auditor';
import { createFence } from './gate/fence';
import { createGate, LEDGER_GROUP } from './gate/gate';
import { createGateKeeper } from './gate/gate-keeper';
import { createGateWatch } from './gate/gate-watch';
import { type Buyer, createKnownBuyers } from './gate/known-buyers';
import { createLiveGates, observeGate } from './gate/live-gates';
import { createPurchase, type PurchaseOptions, type PurchaseOutcome } from './gate/purchase';
import { rebuildGate } from './gate/rebuild';
import { createGiveBack } from './gate/restock';
import { storeNow } from './gate/store-clock';
import { type DeadLetter, listDeadLetters } from './ledger/dead-letters';
import { createLedger } from './ledger/ledger';
import { createOutbox } from './ledger/outbox';
import { reservationsOf } from './ledger/reservations';
import { hearSettled, publishSettled } from './ledger/settled-messages';
import { UNWRITTEN_BOUND, type UnwrittenBound } from './ledger/unwritten-bound';
import { createWaitingCalls } from './ledger/waiting-calls';
import { createHolds, type Holds } from './orders/holds';
import { isOver } from './orders/order';
import { removeOldRequests } from './orders/order-requests';
import type { ConnectProvider } from './orders/payment';
import { createPayments, type Payments } from './orders/payments';
import { createRefunds, type Refunds } from './orders/refunds';
import { createShopperOrders, type ShopperOrders } from './orders/shopper-orders';

/** The sale as one node runs it: gate, ledger and what looks after them. */
export interface Sale {
  catalog: Catalog;
  /** What an operator does to coupons. */
  desk: SaleDesk;
  purchase: (options: PurchaseOptions) => Promise<PurchaseOutcome>;
  /** Returns true where a purchase would be accepted, by the state in this node's memory. */
  couldBuy: (buyer: Buyer) => boolean;
  shopperOrders: ShopperOrders;
  cancel: Holds['cancel'];
  pay: Payments['pay'];
  /** Money that was taken and buys nothing. */
  refunds: Refunds;
  /** What is left of every seckill on show. */
  stock: () => Promise<{ couponId: string; remaining: number }[]>;
  /** Gives a coupon that has just come up its gate. */
  openGate: (couponId: string) => Promise<boolean>;
  /** Whether gates and ledger add up. */
  auditHealth: Auditor['health'];
  /** Age of the oldest order that is not in Postgres yet, in ms. */
  ledgerLagMs: () => number;
  /** What could not be written, newest first. Throws `StoreUnavailableError`. */
  deadLetters: () => Promise<DeadLetter[]>;
  stop(): Promise<void>;
}

export interface SaleOptions {
  /** For the ledger, the jobs and the operators. */
  db: Db;
  /** For what calls ask. */
  calls: CallAccess;
  /** For purchases, which must not wait behind anything. */
  decisions: RedisClient;
  /** For the ledger, the keeper and the displays. */
  background: RedisClient;
  /** For news only. */
  subscriber: RedisClient;
  /** This node's name, the same across its restarts. */
  node: string;
  /** How far the ledger may be behind before the gates pause. */
  unwritten?: UnwrittenBound;
  /** This node's estimate of Redis's clock, in epoch ms. Default: this node's own clock. */
  storeClock?: () => number;
  metrics: Metrics;
  log: Log;
  /** Called with the first error of each row of failures of a job. */
  onJobFailed?: (error: unknown) => void;
  /** Takes the shoppers' money. Default: nobody does, and paying answers 503. */
  connectProvider?: ConnectProvider | undefined;
}

const SWEEP_EVERY_MS = 1_000;
const OLD_REQUESTS_EVERY_MS = 10 * 60 * 1000;
/** How old the coupons are in which a wallet looks for reservations. */
const ACTIVE_FRESH_FOR_MS = 250;
/** Any node of a cluster may be the one that is asked to spread the news, and it may be frozen. */
const NEWS_WAIT_MS = 500;

/** Starts the sale on this node. */
export async function startSale({
  db,
  calls,
  decisions,
  background,
  subscriber,
  node,
  unwritten = UNWRITTEN_BOUND,
  storeClock = Date.now,
  metrics,
  log,
  onJobFailed = () => undefined,
  connectProvider,
}: SaleOptions): Promise<Sale> {
  const fence = createFence();
  const liveGates = createLiveGates();
  const buyers = createKnownBuyers();
  const gate = observeGate(createGate({ redis: decisions, fence, unwritten }), liveGates);
  const index = createCouponIndex({ db });
  const waitingCalls = createWaitingCalls();
  await hearSettled(subscriber, {
    hear({ orders, marks }) {
      for (const { couponId, ...mark } of marks) fence.observe(couponId, mark);
      waitingCalls.tell(orders);
      for (const order of orders) if (isOver(order)) buyers.remove(order);
    },
    log,
  });
  const ledger = createLedger({
    db,
    outbox: createOutbox({ redis: background, group: LEDGER_GROUP, consumer: node }),
    activeCoupons: index.active,
    bound: unwritten,
    release: gate.release,
    onOversold: (couponId) => keeper.distrust(couponId),
    async onSettled(orders, mark) {
      waitingCalls.tell(orders);
      if (mark) fence.observe(mark.couponId, mark);
      await withinStoreTimeout(publishSettled(background, orders, mark ? [mark] : []), NEWS_WAIT_MS);
    },
    onWritten: ({ status }) => metrics.order(status),
    onBuried: metrics.deadLetter,
    onBehind: metrics.setCouponsPaused,
    onLag: (lagMs) => metrics.setLedgerLag(lagMs / 1000),
    now: () => storeNow(background, performance.now() + STORE_BUDGET_MS),
    log,
  });
  const keeper = createGateKeeper({
    gate,
    fence,
    rebuild: (couponId) =>
      rebuildGate({ db, gate, fence, redis: background, drainOutbox: ledger.drain }, couponId),
    openCoupons: index.open,
    onRebuilt: metrics.gateRebuilt,
    log,
  });
  const catalog = createCatalog({
    calls,
    gate,
    now: (deadline) => storeNow(background, deadline),
    isLedgerBehind: ledger.isBehind,
  });
  const amendGate = createAmendGate({ redis: background });
  const watch = createGateWatch({ index, gate, amendGate, rebuild: keeper.distrust, log });
  const desk = createSaleDesk({
    db,
    catalog,
    openGate: keeper.ensure,
    amendGate,
    now: () => storeNow(background, performance.now() + STORE_BUDGET_MS),
    log,
  });
  const auditor = createAuditor({
    looks: createAuditLooks({ db, redis: background }),
    redis: background,
    rebuild: keeper.distrust,
    onMismatches: metrics.setAuditorMismatches,
    onHealed: metrics.auditorHealed,
    log,
  });

  const activeCoupons = createSharedReading(index.active, { freshForMs: ACTIVE_FRESH_FOR_MS });
  const shopperOrders = createShopperOrders({
    calls,
    reservationsOf: async (userId) =>
      reservationsOf(background, { userId, couponIds: await activeCoupons.get() }),
  });
  const purchase = createPurchase({
    gate,
    ensureGate: keeper.ensure,
    findCoupon: index.find,
    waitingCalls,
    buyers,
    kickLedger: ledger.kick,
    findOrder: shopperOrders.written,
    findOrderOfRequest: shopperOrders.ofRequest,
    onOutcome: metrics.purchase,
  });

  const holds = createHolds({
    db,
    runChange: calls.runChange,
    giveBack: createGiveBack({ redis: background }),
    onEnded(status, orders) {
      metrics.order(status, orders.length);
      const publishing = withinStoreTimeout(publishSettled(background, orders), NEWS_WAIT_MS);
      // Lost news cost a shopper who buys again one more peek at the gate.
      publishing.catch((err: unknown) => log.debug({ err }, 'Ended orders were not published.'));
    },
  });
  const payments = createPayments({
    db,
    runChange: calls.runChange,
    connectProvider,
    onPaid: () => metrics.order('paid'),
    onRefundDue: (paymentId) =>
      log.warn({ paymentId }, 'Money was taken for an order that had ended: it is sent back.'),
    log,
  });
  const refunds = createRefunds({ db, provider: payments.provider, log });

  // A node that listens has its gates open, as far as it is this node that opens them.
  await keeper.sweep();
  const report = (what: string) => (error: unknown) => {
    onJobFailed(error);
    log.warn({ err: error }, `${what} failed; it goes on trying.`);
  };
  const jobs = [
    repeat(keeper.sweep, { everyMs: SWEEP_EVERY_MS, onFailure: report('Looking after the gates') }),
    repeat(watch.look, { everyMs: SWEEP_EVERY_MS, onFailure: report('Telling the gates what was changed') }),
    repeat(auditor.turn, {
      everyMs: SWEEP_EVERY_MS,
      onFailure: report('Comparing the gates with the ledger'),
    }),
    repeat(ledger.sweep, { everyMs: SWEEP_EVERY_MS, onFailure: report('Looking through the outboxes') }),
    repeat(holds.expireDue, { everyMs: SWEEP_EVERY_MS, onFailure: report('Ending unpaid orders') }),
    repeat(holds.giveBackOwed, {
      everyMs: SWEEP_EVERY_MS,
      onFailure: report('Returning stock to the gates'),
    }),
    repeat(payments.settlePending, { everyMs: SWEEP_EVERY_MS, onFailure: report('Asking for payments') }),
    repeat(refunds.sendDue, { everyMs: SWEEP_EVERY_MS, onFailure: report('Sending refunds') }),
    repeat(() => removeOldRequests(db), {
      everyMs: OLD_REQUESTS_EVERY_MS,
      onFailure: report('Forgetting old request ids'),
    }),
  ];

  return {
    catalog,
    desk,
    purchase,
    couldBuy: (buyer) =>
      liveGates.isSelling(buyer.couponId, storeClock()) &&
      !ledger.isBehind(buyer.couponId) &&
      !buyers.has(buyer),
    shopperOrders,
    cancel: holds.cancel,
    pay: payments.pay,
    refunds,
    stock: () => stockLeft({ index, gate }),
    openGate: keeper.ensure,
    auditHealth: auditor.health,
    ledgerLagMs: ledger.lagMs,
    deadLetters: async () => listDeadLetters(background, await index.lettered()),
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await ledger.stop();
    },
  };
}
