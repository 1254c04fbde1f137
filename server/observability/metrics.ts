import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What a decision looks like from here; the limiter's `DecisionOutcome` fits, without being imported. */
export interface ObservedDecision {
  policy: string;
  durationMs: number;
  /** `undefined`: the store did not answer and the policy is closed. */
  decision:
    | (ObservedShadow & { allowed: true; degraded: boolean; levels: readonly { level: string }[] })
    | (ObservedShadow & { allowed: false; reason: 'limited' | 'banned'; refusedBy: { level: string } })
    | undefined;
}

interface ObservedShadow {
  /** Levels in shadow mode that would have refused. */
  shadowRefusals: readonly string[];
}

/** The product's metrics. No label ever carries a user, an e-mail or an address. */
export interface Metrics {
  /**
   * Counts a decision on each level that it admitted or on the one that refused, on each shadow level that would have
   * refused, and its duration once.
   */
  observeDecision(observed: ObservedDecision): void;
  /** Counts a call that came through its limits, by what the sale answered. */
  purchase(outcome: string): void;
  /** Counts orders that reached a status. */
  order(status: string, count?: number): void;
  setLedgerLag(seconds: number): void;
  /** Coupons whose gates promise nothing because the ledger is behind. */
  setCouponsPaused(count: number): void;
  /** Counts an outbox entry that could not be written. */
  deadLetter(): void;
  /** Counts a gate that this node has rebuilt from the ledger. */
  gateRebuilt(): void;
  /** Sales that do not add up, and that only a person can put right. */
  setAuditorMismatches(count: number): void;
  /** Counts a gate that disagreed with the ledger and was rebuilt for it. */
  auditorHealed(): void;
  setLiveViewers(count: number): void;
  setStoreUp(up: boolean): void;
  setBreakerOpen(open: boolean): void;
  /** Counts calls to Redis that failed. */
  storeError(kind: string, count?: number): void;
  /** The type of `text()`. */
  contentType: string;
  /** Everything as Prometheus text. */
  text(): Promise<string>;
}

type DecisionOutcomeLabel = 'admitted' | 'refused' | 'banned' | 'shadow-refused' | 'degraded' | 'unavailable';

/** Stands for all levels of a policy where no single one is known. */
const EVERY_LEVEL = '*';

/** From a fast local Redis to the 300 ms that a call may wait for a store in an outage. */
const DECISION_BUCKETS_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.3, 1];

/**
 * How often the lag of the event loop is looked at, in ms, which is also the least that it reads. Each look wakes a process
 * that may be idle: at prom-client's own 10 ms that was 0.4 % of a core.
 */
const LAG_PRECISION_MS = 20;

/**
 * Gauges of prom-client that end in `_total`, which Prometheus reserves for counters. Each is the sum of a gauge by type
 * that stays, such as `nodejs_active_handles`.
 */
const MISNAMED_SUMS = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];

/** Makes the metrics in a registry of their own, Node's defaults among them. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_PRECISION_MS });
  for (const name of MISNAMED_SUMS) registry.removeSingleMetric(name);

  const decisions = new Counter({
    name: 'floodgate_rate_limit_decisions_total',
    help: 'Decisions by policy, level and outcome. "refused" rising is a flood being held back; "shadow-refused" is what a shadow level would refuse; "degraded" or "unavailable" rising means that the store is not answering.',
    labelNames: ['policy', 'level', 'outcome'] as const,
    registers,
  });
  const decisionSeconds = new Histogram({
    name: 'floodgate_rate_limit_decision_seconds',
    help: 'Time to decide one call, all its levels together. A rise means that the store, or the way to it, got slower.',
    buckets: DECISION_BUCKETS_SECONDS,
    registers,
  });
  const storeUp = new Gauge({
    name: 'floodgate_rate_limit_store_up',
    help: '1 while the store of the limits answers, else 0. At 0 closed policies answer 503 and local ones count per node.',
    registers,
  });
  const breakerOpen = new Gauge({
    name: 'floodgate_rate_limit_breaker_open',
    help: '1 while calls do not wait for the store of the limits, because it was silent, else 0. It closes by the first call that the store answers.',
    registers,
  });
  const storeErrors = new Counter({
    name: 'floodgate_store_errors_total',
    help: 'Calls to Redis that failed, by the code of the error that Redis replied, or "timeout" or "disconnected" where it did not reply. Any rise of a code means that scripts, permissions, memory or keys of Redis are wrong; the log has the cause.',
    labelNames: ['kind'] as const,
    registers,
  });
  const purchases = new Counter({
    name: 'floodgate_purchases_total',
    help: 'Purchases that came through their limits, by outcome. "accepted" rising is a sale; "paused" rising means that a gate is being rebuilt.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const orders = new Counter({
    name: 'floodgate_orders_total',
    help: 'Orders that reached a status. "confirmed" should rise with accepted purchases; where it does not, the ledger is behind.',
    labelNames: ['status'] as const,
    registers,
  });
  const ledgerLag = new Gauge({
    name: 'floodgate_ledger_lag_seconds',
    help: 'Age of the oldest reservation that is not in Postgres yet. A rise means that Postgres is slow or away.',
    registers,
  });
  const couponsPaused = new Gauge({
    name: 'floodgate_coupons_paused',
    help: 'Coupons whose gates promise nothing until the ledger has caught up. Above 0 means that Postgres is away, or slower than the sale.',
    registers,
  });
  const deadLetters = new Counter({
    name: 'floodgate_dead_letters_total',
    help: 'Outbox entries that could not be written, whose stock went back. Any rise is a fault for a person to look at.',
    registers,
  });
  const gateRebuilds = new Counter({
    name: 'floodgate_gate_rebuilds_total',
    help: 'Gates that were rebuilt from the ledger. One for each new coupon; a further rise means that Redis lost data or came back older.',
    registers,
  });
  const auditorMismatches = new Gauge({
    name: 'floodgate_auditor_mismatches',
    help: 'Sales where remaining + reserved + sold is not the total, or where the ledger disagrees with itself, and that were not healed. Anything but 0 needs a person.',
    registers,
  });
  const auditorHeals = new Counter({
    name: 'floodgate_auditor_heals_total',
    help: 'Gates that disagreed with the ledger and were rebuilt for it. A rise means that something else than the product writes to Redis, or a fault in it.',
    registers,
  });
  const liveViewers = new Gauge({
    name: 'floodgate_live_viewers',
    help: 'Open live streams of this node. A rise is visitors watching the windows.',
    registers,
  });

  return {
    observeDecision({ policy, decision, durationMs }) {
      decisionSeconds.observe(durationMs / 1000);
      const count = (level: string, outcome: DecisionOutcomeLabel) =>
        decisions.inc({ policy, level, outcome });
      if (!decision) return count(EVERY_LEVEL, 'unavailable');
      for (const level of decision.shadowRefusals) count(level, 'shadow-refused');
      if (!decision.allowed) {
        return count(decision.refusedBy.level, decision.reason === 'banned' ? 'banned' : 'refused');
      }
      const outcome = decision.degraded ? 'degraded' : 'admitted';
      if (decision.levels.length === 0) return count(EVERY_LEVEL, outcome);
      for (const { level } of decision.levels) count(level, outcome);
    },
    purchase: (outcome) => purchases.inc({ outcome }),
    order: (status, count = 1) => orders.inc({ status }, count),
    setLedgerLag: (seconds) => ledgerLag.set(seconds),
    setCouponsPaused: (count) => couponsPaused.set(count),
    deadLetter: () => deadLetters.inc(),
    gateRebuilt: () => gateRebuilds.inc(),
    setAuditorMismatches: (count) => auditorMismatches.set(count),
    auditorHealed: () => auditorHeals.inc(),
    setLiveViewers: (count) => liveViewers.set(count),
    setStoreUp: (up) => storeUp.set(up ? 1 : 0),
    storeError: (kind, count = 1) => storeErrors.inc({ kind }, count),
    setBreakerOpen: (open) => breakerOpen.set(open ? 1 : 0),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
