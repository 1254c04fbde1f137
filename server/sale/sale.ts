import type { CallAccess, Db } from '../db/client';
import { withinStoreTimeout } from '../limiter/index';
import type { Log } from '../observability/log';
import type { Metrics } from '../observability/metrics';
import type { RedisClient } from '../redis/client';
import type { Job } from '../timers';
import { type CouponCommands, createCouponCommands } from './coupons/coupon-commands';
import { type CouponReader, createCouponReader } from './coupons/coupon-reader';
import { createAmendGate, createWarmUpGates } from './gate/amend-gate';
import { createAuditReader } from './gate/audit';
import { type Auditor, createAuditor } from './gate/auditor';
import { createChangedGates, subscribeChangedGates } from './gate/changed-gates';
import { createStockReader, type StockReader } from './gate/changed-stock';
import { createCouponQueries } from './gate/coupon-queries';
import { createDueGates } from './gate/due-gates';
import { createFences } from './gate/fence';
import { createGate, LEDGER_GROUP, type LedgerLagBound } from './gate/gate';
import { createGateRebuilder } from './gate/gate-rebuilder';
import { type Buyer, createKnownBuyers } from './gate/known-buyers';
import { createLiveGates, observeGate } from './gate/live-gates';
import { createReadStoreTime } from './gate/read-store-time';
import { createRestock } from './gate/restock';
import { type DeadLetter, listDeadLetters } from './ledger/dead-letters';
import { createLedger } from './ledger/ledger';
import { createOutbox } from './ledger/outbox';
import { createWaitingCalls, publishSettled, subscribeSettled } from './ledger/settled-orders';
import { endedWithoutPurchase } from './order';
import { createHolds, type Holds } from './orders/holds';
import { sweepOldRequests } from './orders/order-changes';
import type { ConnectProvider } from './orders/payment-provider';
import { createPayments, type Payments } from './orders/payments';
import { createRefunds, type Refunds } from './orders/refunds';
import { createShopperOrders, findReservations, type ShopperOrders } from './orders/shopper-orders';
import { createPurchase, type Purchase } from './purchase';

/** The sale on one node: coupons, gates, ledger, orders, and their jobs. */
export interface Sale extends StockReader {
  couponReader: CouponReader;
  couponCommands: CouponCommands;
  purchase: Purchase;
  /** Returns true if a purchase would be accepted, according to the memory of this node. */
  couldBuy: (buyer: Buyer) => boolean;
  /** Returns why a seckill sells nothing any more, according to the memory of this node. */
  findEnd: (couponId: string) => 'sold-out' | 'ended' | undefined;
  /** Returns true if a coupon sells nothing for now: its orders wait for the ledger, or its gate for a rebuild. */
  isPaused: (couponId: string) => boolean;
  /** Lists the coupons whose gates this node has read: those on sale, and some that have ended. */
  listKnownCoupons: () => string[];
  shopperOrders: ShopperOrders;
  /** Reads the order of a change. */
  ordersToChange: Pick<ShopperOrders, 'byId'>;
  cancel: Holds['cancel'];
  pay: Payments['pay'];
  /** Payments of orders that could no longer be paid. */
  refunds: Refunds;
  /** Opens the gate of a new coupon. */
  ensureGate: (couponId: string) => Promise<boolean>;
  checkAudit: Auditor['checkAudit'];
  /** Returns the age of the oldest unwritten order, in ms. */
  ledgerLagMs: () => number;
  /** Lists the orders that could not be written, newest first. Throws `StoreUnavailableError`. */
  listDeadLetters: () => Promise<DeadLetter[]>;
  /** For the caller to run. `stop` expects that they have stopped. */
  jobs: readonly Job[];
  stop(): Promise<void>;
}

export interface SaleOptions {
  /** For the ledger, the jobs and the operators. */
  db: Db;
  /** For the reads and changes of shoppers' calls. */
  calls: CallAccess;
  /** For purchases, which must not wait behind other commands. */
  decisions: RedisClient;
  /** For the ledger, the jobs and the pages. */
  background: RedisClient;
  /** For subscriptions only. */
  subscriber: RedisClient;
  /** This node's name, the same across its restarts. */
  nodeName: string;
  /** The maximum lag of the ledger, above which the gates pause. */
  lagBound: LedgerLagBound;
  /** This node's estimate of Redis's clock, in epoch ms. Default: this node's own clock. */
  storeNow?: () => number;
  metrics: Metrics;
  log: Log;
  /** Connects the payment provider. Default: none, and `order.pay` answers 503. */
  connectProvider?: ConnectProvider | undefined;
}

const SWEEP_EVERY_MS = 1_000;
const OLD_REQUESTS_EVERY_MS = 10 * 60 * 1000;
/** Each sweep marks the gates of unwritten orders as changed. This is much longer than the time between two sweeps. */
const RESERVED_FOR_MS = 15_000;
/** Any node of a cluster may have to forward a message, and it may be frozen. */
const PUBLISH_TIMEOUT_MS = 500;

/** Starts the sale on this node. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it connects the parts of the sale, in the order of the data.
export async function startSale({
  db,
  calls,
  decisions,
  background,
  subscriber,
  nodeName,
  lagBound,
  storeNow = Date.now,
  metrics,
  log,
  connectProvider,
}: SaleOptions): Promise<Sale> {
  const fences = createFences();
  const liveGates = createLiveGates();
  const buyers = createKnownBuyers();
  const changedGates = createChangedGates();
  const gate = observeGate(createGate({ redis: decisions, fences, lagBound }), liveGates);
  const couponQueries = createCouponQueries({ db });
  const { listActiveCoupons, listAllGates, listChangedGates, findCoupon } = couponQueries;
  const readStoreTime = createReadStoreTime({ redis: background });
  const waitingCalls = createWaitingCalls();
  await subscribeSettled(subscriber, {
    onSettledMessage({ orders, fences: settledFences }) {
      for (const { couponId, ...fence } of settledFences) fences.observe(couponId, fence);
      waitingCalls.notify(orders);
      for (const order of orders) if (endedWithoutPurchase(order)) buyers.remove(order);
    },
    log,
  });
  await subscribeChangedGates(subscriber, { changedGates, log });
  const listDueOutboxes = createDueGates<{ id: string }>({
    ...{ changedGates, listChanged: listChangedGates, listSlice: couponQueries.listActiveSlice },
    listAll: async () => (await listActiveCoupons()).map((id) => ({ id })),
  });

  const ledger = createLedger({
    db,
    outbox: createOutbox({ redis: background, group: LEDGER_GROUP, consumer: nodeName }),
    listDueOutboxes: async () => (await listDueOutboxes()).map(({ id }) => id),
    onBacklog: changedGates.add,
    lagBound,
    releaseReservation: gate.releaseReservation,
    markForRebuild: (couponId) => markForRebuild(couponId),
    async onSettled(orders, fence) {
      waitingCalls.notify(orders);
      if (fence) fences.observe(fence.couponId, fence);
      await withinStoreTimeout(publishSettled(background, orders, fence ? [fence] : []), PUBLISH_TIMEOUT_MS);
    },
    onWritten: ({ status }) => metrics.countOrders(status),
    onDeadLetter: metrics.countDeadLetter,
    onBehind: metrics.setCouponsPaused,
    onLag: metrics.setLedgerLag,
    readStoreTime,
    log,
  });
  const { isLedgerBehind, ledgerLagMs, requestDrain, drainOutbox } = ledger;
  const amendGate = createAmendGate({ redis: background });
  const { ensureGate, markForRebuild, sweepGates } = createGateRebuilder({
    ...{ db, gate, fences, redis: background, drainOutbox, changedGates, amendGate },
    listDueGates: createDueGates({
      ...{ changedGates, listAll: listAllGates, listChanged: listChangedGates },
      listSlice: couponQueries.listGateSlice,
    }),
    onRebuilt: metrics.countGateRebuild,
    log,
  });
  const couponReader = createCouponReader({ db, calls, gate, readStoreTime, isLedgerBehind });
  const warmUpGates = createWarmUpGates({ listStartingCoupons: couponQueries.listStartingCoupons, gate });
  const couponCommands = createCouponCommands({
    db,
    couponReader,
    ensureGate,
    amendGate,
    readStoreTime,
    log,
  });
  const { sweepAudit, checkAudit } = createAuditor({
    auditReader: createAuditReader({ db, redis: background }),
    changedGates,
    redis: background,
    markForRebuild,
    onMismatches: metrics.setAuditorMismatches,
    onHealed: metrics.countAuditorHeal,
    log,
  });

  // A reservation exists while its order is in an outbox, and for a day after it became a dead letter.
  const findReservationsOf = async (userId: string) => {
    const couponIds = new Set(changedGates.within(RESERVED_FOR_MS));
    for (const couponId of await couponQueries.listCouponsWithDeadLetters()) couponIds.add(couponId);
    return findReservations(background, { userId, couponIds: [...couponIds] });
  };
  const shopperOrders = createShopperOrders({ calls, findReservationsOf });
  // The reads of a change wait with the changes, so that no flood of reads refuses it.
  const ordersToChange = createShopperOrders({
    calls: { readDb: db, runRead: calls.runChange },
    findReservationsOf,
  });
  const { findWrittenOrder, findOrderOfRequest } = shopperOrders;
  const purchase = createPurchase({
    ...{ gate, ensureGate, findCoupon, waitingCalls, buyers },
    ...{ requestDrain, findWrittenOrder, findOrderOfRequest },
    onOutcome: metrics.countPurchase,
  });

  const { cancel, sweepHolds, sweepCompensations } = createHolds({
    db,
    runChange: calls.runChange,
    restock: createRestock({ redis: background }),
    onEnded(status, orders) {
      metrics.countOrders(status, orders.length);
      const publishing = withinStoreTimeout(publishSettled(background, orders), PUBLISH_TIMEOUT_MS);
      // A lost message costs one more peek at the gate when the shopper buys again.
      publishing.catch((err: unknown) => log.debug({ err }, 'Ended orders were not published.'));
    },
  });
  const { pay, provider, sweepPayments } = createPayments({
    db,
    runChange: calls.runChange,
    connectProvider,
    onPaid: () => metrics.countOrders('paid'),
    onRefundDue: (paymentId) =>
      log.warn({ paymentId }, 'A payment was approved after its order had ended. It will be refunded.'),
    log,
  });
  const refunds = createRefunds({ db, provider, log });

  // Opens the gates before the node listens, except those that another node is opening.
  await sweepGates();
  const everyMs = SWEEP_EVERY_MS;
  const jobs: Job[] = [
    { name: 'Rebuilding gates', run: sweepGates, everyMs },
    { name: 'Warming up gates', run: warmUpGates, everyMs },
    { name: 'Comparing the gates with the ledger', run: sweepAudit, everyMs },
    { name: 'Draining the outboxes', run: ledger.sweepOutboxes, everyMs },
    { name: 'Expiring unpaid orders', run: sweepHolds, everyMs },
    { name: 'Returning stock to the gates', run: sweepCompensations, everyMs },
    { name: 'Settling payments', run: sweepPayments, everyMs },
    { name: 'Sending refunds', run: refunds.sweepRefunds, everyMs },
    {
      name: 'Deleting old request ids',
      run: () => sweepOldRequests(db),
      everyMs: OLD_REQUESTS_EVERY_MS,
    },
  ];

  return {
    couponReader,
    couponCommands,
    purchase,
    couldBuy: (buyer) =>
      liveGates.isSelling(buyer.couponId, storeNow()) &&
      !isLedgerBehind(buyer.couponId) &&
      !buyers.has(buyer),
    findEnd: (couponId) => liveGates.findEnd(couponId, storeNow()),
    isPaused: (couponId) => isLedgerBehind(couponId) || liveGates.isPaused(couponId),
    listKnownCoupons: liveGates.list,
    shopperOrders,
    ordersToChange,
    cancel,
    pay,
    refunds,
    ...createStockReader({ gate, changedGates }),
    ensureGate,
    checkAudit,
    ledgerLagMs,
    listDeadLetters: async () =>
      listDeadLetters(background, await couponQueries.listCouponsWithDeadLetters()),
    jobs,
    stop: ledger.stop,
  };
}
