import {
  Counter,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type Registry,
  type RegistryContentType,
} from 'prom-client';
import type { DecisionOutcome } from '../decide/decision';
import type { Limiter } from '../limiter';
import { validateLimiter } from '../limiter-options';
import { ignoreOutage } from '../stores/store-error';

/** The functions of a limiter that its metrics need. */
export type ObservedLimiter = Pick<
  Limiter,
  'breakerState' | 'check' | 'leasedUnits' | 'subscribe' | 'testStore'
>;

/** Stands for all levels of a policy if no level is known. */
const EVERY_LEVEL = '*';

/** From a fast local Redis to 1 s, above the default timeout of a decision. */
const BUCKETS_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.3, 1];

/**
 * Adds the metrics of a limiter to a register of prom-client: `floodgate_rate_limit_decisions_total` by policy, level and outcome,
 * `floodgate_rate_limit_decision_seconds`, `floodgate_rate_limit_store_up`, `floodgate_rate_limit_breaker_open` and
 * `floodgate_rate_limit_leased_idle_units`. No label contains a subject. Each scrape makes one decision on a key of its own, like `Limiter.testStore`, which it may wait for
 * until the timeout. Several limiters of one register are counted together; its gauges are those of the last.
 *
 * Returns the function that stops the counting.
 */
export function observe(limiter: ObservedLimiter, register: Registry<RegistryContentType>): () => void {
  validateLimiter(limiter, 'observe');
  const registers = [register as Registry];
  const decisions = reuse(register, 'floodgate_rate_limit_decisions_total', (name) => {
    const help =
      'Decisions by policy, level and outcome. A rise of "refused" is a flood that the limits stop; "blocked" are calls of a level that an operator blocks; "shadow-refused" are calls that a shadow level would refuse; a rise of "degraded" or "unavailable" means that the store does not answer.';
    return new Counter({ name, help, labelNames: ['policy', 'level', 'outcome'] as const, registers });
  });
  const seconds = reuse(register, 'floodgate_rate_limit_decision_seconds', (name) => {
    const help =
      'Time to decide one call, all its levels together. A rise means that the store or the network got slower.';
    return new Histogram({ name, help, buckets: BUCKETS_SECONDS, registers });
  });

  /** Replaces the gauge of an earlier limiter, because a gauge reads one limiter. */
  function addGauge(name: string, gauge: Omit<GaugeConfiguration<'policy' | 'level'>, 'name'>): void {
    register.removeSingleMetric(name);
    new Gauge({ name, registers, ...gauge });
  }
  addGauge('floodgate_rate_limit_store_up', {
    help: '1 while the store of the limits answers, else 0. At 0, closed policies answer 503 and local ones count per node.',
    async collect() {
      const answers = limiter.testStore().then(() => true);
      this.set(Number(await ignoreOutage(answers, false)));
    },
  });
  addGauge('floodgate_rate_limit_breaker_open', {
    help: '1 while calls do not wait for the store of the limits, because it did not answer, else 0. The first answered call closes the breaker.',
    collect() {
      this.set(Number(limiter.breakerState() !== 'closed'));
    },
  });
  addGauge('floodgate_rate_limit_leased_idle_units', {
    help: 'Units of leased levels that this node holds and has not spent. They count as used until it gives them back. A value near the limit means that the lease is too long or the limit too small.',
    labelNames: ['policy', 'level'],
    collect() {
      this.reset();
      for (const { policy, level, idle } of limiter.leasedUnits()) this.set({ policy, level }, idle);
    },
  });

  return limiter.subscribe(({ policy, decision, durationMs }) => {
    // A cached refusal that was sent instead of a decision took no time.
    if (durationMs > 0) seconds.observe(durationMs / 1000);
    for (const [level, outcome] of labelsOf(decision)) decisions.inc({ policy, level, outcome });
  });
}

/** Returns the metric of a name: the one of an earlier limiter, such as that before a hot reload, or else a new one. */
function reuse<Metric>(
  register: Registry<RegistryContentType>,
  name: string,
  create: (name: string) => Metric,
): Metric {
  // The names are those of this module alone.
  return (register.getSingleMetric(name) as Metric | undefined) ?? create(name);
}

/** Returns the levels of a decision with their outcomes: all that admitted it, or the one that refused it. */
function labelsOf(decision: DecisionOutcome['decision']): (readonly [level: string, outcome: string])[] {
  if (!decision) return [[EVERY_LEVEL, 'unavailable']];
  const shadow = decision.shadowRefusals.map((level) => [level, 'shadow-refused'] as const);
  if (!decision.allowed) {
    const outcome = decision.reason === 'limited' ? 'refused' : decision.reason;
    return [...shadow, [decision.refusedBy.level, outcome]];
  }
  const outcome = decision.degraded ? 'degraded' : 'admitted';
  const levels = decision.levels.length === 0 ? [{ level: EVERY_LEVEL }] : decision.levels;
  return [...shadow, ...levels.map(({ level }) => [level, outcome] as const)];
}
