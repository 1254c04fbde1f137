import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type ObservedLimiter, observe } from '../limiter/adapters/metrics';

/** The product's metrics. No label contains a user, an e-mail or an address. */
export interface Metrics {
  /** Adds the metrics of the limiter. */
  observeLimiter(limiter: ObservedLimiter): void;
  /** Counts an admitted purchase by its outcome. */
  countPurchase(outcome: string): void;
  /** Counts orders that reached a status. */
  countOrders(status: string, count?: number): void;
  setLedgerLag(lagMs: number): void;
  /** Sets the number of coupons whose gates are paused because the ledger is behind. */
  setCouponsPaused(count: number): void;
  /** Counts a dead letter: an outbox entry that could not be written. */
  countDeadLetter(): void;
  /** Counts a gate that this node rebuilt from the ledger. */
  countGateRebuild(): void;
  /** Sets the number of sales with a mismatch that only an operator can fix. */
  setAuditorMismatches(count: number): void;
  /** Counts a gate that differed from the ledger and was rebuilt. */
  countAuditorHeal(): void;
  /** Sets the number of tickets that wait in the queue of a policy. */
  setQueueWaiting(policy: string, count: number): void;
  /** Counts a served ticket, and observes the time after its promised turn, in ms; 0 if it was served in time. */
  observeServed(policy: string, lateMs: number): void;
  setLiveViewers(count: number): void;
  /** Counts failed calls to Redis. */
  countStoreError(kind: string, count?: number): void;
  /** Content type of `text()`. */
  contentType: string;
  /** Returns all metrics as Prometheus text. */
  text(): Promise<string>;
}

/** From a turn in time to a pause of the sale. */
const LATENESS_BUCKETS_SECONDS = [0, 0.025, 0.1, 0.5, 1, 5, 30, 60];

/**
 * Interval of the event loop's lag measurement, in ms, and its minimum value. Each measurement wakes an idle process.
 */
const LAG_PRECISION_MS = 20;

/**
 * Gauges of prom-client that end in `_total`, which Prometheus reserves for counters. Each is the sum of a gauge that is
 * kept, such as `nodejs_active_handles`.
 */
const MISNAMED_SUMS = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];

/** Creates the metrics, including Node's defaults, in their own registry. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_PRECISION_MS });
  for (const name of MISNAMED_SUMS) registry.removeSingleMetric(name);

  const storeErrors = new Counter({
    name: 'floodgate_store_errors_total',
    help: 'Calls to Redis that failed, by the code of the error that Redis replied, or "timeout" or "disconnected" where it did not reply. Any rise of a code means that scripts, permissions, memory or keys of Redis are wrong; the log has the cause.',
    labelNames: ['kind'] as const,
    registers,
  });
  const purchases = new Counter({
    name: 'floodgate_purchases_total',
    help: 'Purchases that the limits admitted, by outcome. A rise of "accepted" is a sale; a rise of "paused" means that a gate is being rebuilt.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const orders = new Counter({
    name: 'floodgate_orders_total',
    help: 'Orders that reached a status. "confirmed" should rise with accepted purchases; if it does not, the ledger is behind.',
    labelNames: ['status'] as const,
    registers,
  });
  const ledgerLag = new Gauge({
    name: 'floodgate_ledger_lag_seconds',
    help: 'Age of the oldest reservation that is not in Postgres yet. A rise means that Postgres is slow or down.',
    registers,
  });
  const couponsPaused = new Gauge({
    name: 'floodgate_coupons_paused',
    help: 'Coupons whose gates are paused until the ledger has caught up. Above 0 means that Postgres is down, or slower than the sale.',
    registers,
  });
  const deadLetters = new Counter({
    name: 'floodgate_dead_letters_total',
    help: 'Outbox entries that could not be written, and whose stock was restocked. Any rise is a fault that an operator has to check.',
    registers,
  });
  const gateRebuilds = new Counter({
    name: 'floodgate_gate_rebuilds_total',
    help: 'Gates that were rebuilt from the ledger. Each new coupon counts one; any further rise means that Redis lost data or restarted with older data.',
    registers,
  });
  const auditorMismatches = new Gauge({
    name: 'floodgate_auditor_mismatches',
    help: 'Sales with a mismatch that was not healed: remaining + reserved + sold is not the total, or the ledger is inconsistent. Any other value than 0 needs an operator.',
    registers,
  });
  const auditorHeals = new Counter({
    name: 'floodgate_auditor_heals_total',
    help: 'Gates that differed from the ledger and were rebuilt. A rise means that another program writes to Redis, or a fault in the product.',
    registers,
  });
  const queueWaiting = new Gauge({
    name: 'floodgate_queue_waiting',
    help: 'Tickets that wait in the queue behind a full window, on all nodes. A rise means that more shoppers come than the window admits.',
    labelNames: ['policy'] as const,
    registers,
  });
  const queueServed = new Counter({
    name: 'floodgate_queue_served_total',
    help: 'Tickets that this node served at their turn. If it does not rise while tickets wait, no node serves the queue.',
    labelNames: ['policy'] as const,
    registers,
  });
  const queueLateness = new Histogram({
    name: 'floodgate_queue_lateness_seconds',
    help: 'Time from the promised turn of a ticket to its charge, 0 if it was served in time. A rise means that the limit was lowered, the sale was paused, or the store was down.',
    buckets: LATENESS_BUCKETS_SECONDS,
    registers,
  });
  const liveViewers = new Gauge({
    name: 'floodgate_live_viewers',
    help: 'Open live streams of this node. A rise means that more visitors watch the windows.',
    registers,
  });

  return {
    observeLimiter: (limiter) => void observe(limiter, registry),
    countPurchase: (outcome) => purchases.inc({ outcome }),
    countOrders: (status, count = 1) => orders.inc({ status }, count),
    setLedgerLag: (lagMs) => ledgerLag.set(lagMs / 1000),
    setCouponsPaused: (count) => couponsPaused.set(count),
    countDeadLetter: () => deadLetters.inc(),
    countGateRebuild: () => gateRebuilds.inc(),
    setAuditorMismatches: (count) => auditorMismatches.set(count),
    countAuditorHeal: () => auditorHeals.inc(),
    setQueueWaiting: (policy, count) => queueWaiting.set({ policy }, count),
    observeServed(policy, lateMs) {
      queueServed.inc({ policy });
      queueLateness.observe(lateMs / 1000);
    },
    setLiveViewers: (count) => liveViewers.set(count),
    countStoreError: (kind, count = 1) => storeErrors.inc({ kind }, count),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
