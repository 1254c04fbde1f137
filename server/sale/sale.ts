import type { CallAccess, Db } from '../db/client';
import { repeat } from '../job';
import { withinStoreTimeout } from '../limiter';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import type { RedisClient } from '../redis/client';
import { STORE_BUDGET_MS } from '../trpc/deadline';
import { createCachedRead } from './coupons/cached-read';
import { type CouponCommands, createCouponCommands } from './coupons/coupon-commands';
import { createCouponIndex } from './coupons/coupon-index';
import { type CouponReader, createCouponReader } from './coupons/coupon-reader';
import { listStock } from './coupons/list-stock';
import { createAmendGate } from './gate/amend-gate';
import { createAuditReader } from './gate/audit-snapshots';
import { type Auditor, createAuditor } from './gate/auditor';
import { createFences } from './gate/fence';
import { createGate, LEDGER_GROUP } from './gate/gate';
import { createGateRebuilder } from './gate/gate-rebuilder';
import { type Buyer, createKnownBuyers } from './gate/known-buyers';
import { createLiveGates, observeGate } from './gate/live-gates';
import { createPurchase, type PurchaseOptions, type PurchaseOutcome } from './gate/purchase';
import { readStoreTime } from './gate/read-store-time';
import { rebuildGate } from './gate/rebuild-gate';
import { createRestock } from './gate/restock';
import { createGateWatch } from './gate/sync-gates';
import { type DeadLetter, listDeadLetters } from './ledger/dead-letters';
import { createLedger } from './ledger/ledger';
import { createOutbox } from './ledger/outbox';
import { findReservations } from './ledger/reservations';
import { publishSettled, subscribeSettled } from './ledger/settled-messages';
import { UNWRITTEN_BOUND, type UnwrittenBound } from './ledger/unwritten-bound';
import { createWaitingCalls } from './ledger/waiting-calls';
import { createHolds, type Holds } from './orders/holds';
import { isOver } from './orders/order';
import { sweepOldRequests } from './orders/order-requests';
import type { ConnectProvider } from './orders/payment';
import { createPayments, type Payments } from './orders/payments';
import { createRefunds, type Refunds } from './orders/refunds';
import { createShopperOrders, type ShopperOrders } from './orders/shopper-orders';

/** The sale as one node runs it: gate, ledger and what looks after them. */
export interface Sale {
  couponReader: CouponReader;
  /** What an operator does to coupons. */
  couponCommands: CouponCommands;
  purchase: (options: PurchaseOptions) => Promise<PurchaseOutcome>;
  /** Returns true where a purchase would be accepted, by the state in this node's memory. */
  couldBuy: (buyer: Buyer) => boolean;
  shopperOrders: ShopperOrders;
  cancel: Holds['cancel'];
  pay: Payments['pay'];
  /** Money that was taken and buys nothing. */
  refunds: Refunds;
  /** What is left of every seckill on show. */
  listStock: () => Promise<{ couponId: string; remaining: number }[]>;
  /** Gives a coupon that has just come up its gate. */
  ensureGate: (couponId: string) => Promise<boolean>;
  /** Whether gates and ledger add up. */
  checkAudit: Auditor['checkAudit'];
  /** Age of the oldest order that is not in Postgres yet, in ms. */
  ledgerLagMs: () => number;
  /** What could not be written, newest first. Throws `StoreUnavailableError`. */
  listDeadLetters: () => Promise<DeadLetter[]>;
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
  storeNow?: () => number;
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
  storeNow: storeClock = Date.now,
  metrics,
  log,
  onJobFailed = () => undefined,
  connectProvider,
}: SaleOptions): Promise<Sale> {
  const fence = createFences();
  const liveGates = createLiveGates();
  const buyers = createKnownBuyers();
  const gate = observeGate(createGate({ redis: decisions, fences: fence, unwritten }), liveGates);
  const index = createCouponIndex({ db });
  const waitingCalls = createWaitingCalls();
  await subscribeSettled(subscriber, {
    onMessage({ orders, marks }) {
      for (const { couponId, ...mark } of marks) fence.observe(couponId, mark);
      waitingCalls.notify(orders);
      for (const order of orders) if (isOver(order)) buyers.remove(order);
    },
    log,
  });
  const ledger = createLedger({
    db,
    outbox: createOutbox({ redis: background, group: LEDGER_GROUP, consumer: node }),
    listActiveCoupons: index.listActiveCoupons,
    unwritten,
    releaseReservation: gate.releaseReservation,
    markForRebuild: (couponId) => keeper.markForRebuild(couponId),
    async onSettled(orders, mark) {
      waitingCalls.notify(orders);
      if (mark) fence.observe(mark.couponId, mark);
      await withinStoreTimeout(publishSettled(background, orders, mark ? [mark] : []), NEWS_WAIT_MS);
    },
    onWritten: ({ status }) => metrics.order(status),
    onDeadLetter: metrics.deadLetter,
    onBehind: metrics.setCouponsPaused,
    onLag: (lagMs) => metrics.setLedgerLag(lagMs / 1000),
    readStoreTime: () => readStoreTime(background, performance.now() + STORE_BUDGET_MS),
    log,
  });
  const keeper = createGateRebuilder({
    gate,
    fences: fence,
    rebuildGate: (couponId) =>
      rebuildGate({ db, gate, fences: fence, redis: background, drainOutbox: ledger.drainOutbox }, couponId),
    listOpenCoupons: index.listOpenCoupons,
    onRebuilt: metrics.gateRebuilt,
    log,
  });
  const catalog = createCouponReader({
    calls,
    gate,
    readStoreTime: (deadline) => readStoreTime(background, deadline),
    isLedgerBehind: ledger.isLedgerBehind,
  });
  const amendGate = createAmendGate({ redis: background });
  const watch = createGateWatch({ index, gate, amendGate, markForRebuild: keeper.markForRebuild, log });
  const desk = createCouponCommands({
    db,
    couponReader: catalog,
    ensureGate: keeper.ensureGate,
    amendGate,
    readStoreTime: () => readStoreTime(background, performance.now() + STORE_BUDGET_MS),
    log,
  });
  const auditor = createAuditor({
    auditReader: createAuditReader({ db, redis: background }),
    redis: background,
    markForRebuild: keeper.markForRebuild,
    onMismatches: metrics.setAuditorMismatches,
    onHealed: metrics.auditorHealed,
    log,
  });

  const activeCoupons = createCachedRead(index.listActiveCoupons, { freshForMs: ACTIVE_FRESH_FOR_MS });
  const shopperOrders = createShopperOrders({
    calls,
    findReservationsOf: async (userId) =>
      findReservations(background, { userId, couponIds: await activeCoupons.get() }),
  });
  const purchase = createPurchase({
    gate,
    ensureGate: keeper.ensureGate,
    findCoupon: index.findCoupon,
    waitingCalls,
    buyers,
    requestDrain: ledger.requestDrain,
    findWrittenOrder: shopperOrders.findWrittenOrder,
    findOrderOfRequest: shopperOrders.findOrderOfRequest,
    onOutcome: metrics.purchase,
  });

  const holds = createHolds({
    db,
    runChange: calls.runChange,
    restock: createRestock({ redis: background }),
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
  await keeper.sweepGates();
  const report = (what: string) => (error: unknown) => {
    onJobFailed(error);
    log.warn({ err: error }, `${what} failed; it goes on trying.`);
  };
  const jobs = [
    repeat(keeper.sweepGates, { everyMs: SWEEP_EVERY_MS, onFailure: report('Looking after the gates') }),
    repeat(watch.look, { everyMs: SWEEP_EVERY_MS, onFailure: report('Telling the gates what was changed') }),
    repeat(auditor.sweepAudit, {
      everyMs: SWEEP_EVERY_MS,
      onFailure: report('Comparing the gates with the ledger'),
    }),
    repeat(ledger.sweepOutboxes, {
      everyMs: SWEEP_EVERY_MS,
      onFailure: report('Looking through the outboxes'),
    }),
    repeat(holds.sweepHolds, { everyMs: SWEEP_EVERY_MS, onFailure: report('Ending unpaid orders') }),
    repeat(holds.sweepCompensations, {
      everyMs: SWEEP_EVERY_MS,
      onFailure: report('Returning stock to the gates'),
    }),
    repeat(payments.sweepPayments, { everyMs: SWEEP_EVERY_MS, onFailure: report('Asking for payments') }),
    repeat(refunds.sweepRefunds, { everyMs: SWEEP_EVERY_MS, onFailure: report('Sending refunds') }),
    repeat(() => sweepOldRequests(db), {
      everyMs: OLD_REQUESTS_EVERY_MS,
      onFailure: report('Forgetting old request ids'),
    }),
  ];

  return {
    couponReader: catalog,
    couponCommands: desk,
    purchase,
    couldBuy: (buyer) =>
      liveGates.isSelling(buyer.couponId, storeClock()) &&
      !ledger.isLedgerBehind(buyer.couponId) &&
      !buyers.has(buyer),
    shopperOrders,
    cancel: holds.cancel,
    pay: payments.pay,
    refunds,
    listStock: () => listStock({ index, gate }),
    ensureGate: keeper.ensureGate,
    checkAudit: auditor.checkAudit,
    ledgerLagMs: ledger.ledgerLagMs,
    listDeadLetters: async () => listDeadLetters(background, await index.listCouponsWithDeadLetters()),
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await ledger.stop();
    },
  };
}
