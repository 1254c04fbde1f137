import { expect, test } from 'vitest';
import { createLimiter } from '../limiter/index';
import { memoryStore } from '../limiter/stores';
import { createMetrics } from './metrics';

test('the names are the published ones and those of Node', async () => {
  const metrics = createMetrics();
  metrics.observeLimiter(
    createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' }),
  );
  const text = await metrics.text();
  for (const name of [
    'floodgate_rate_limit_decisions_total',
    'floodgate_rate_limit_decision_seconds',
    'floodgate_rate_limit_store_up',
    'floodgate_rate_limit_breaker_open',
    'floodgate_purchases_total',
    'floodgate_orders_total',
    'floodgate_ledger_lag_seconds',
    'floodgate_coupons_paused',
    'floodgate_dead_letters_total',
    'floodgate_gate_rebuilds_total',
    'floodgate_auditor_mismatches',
    'floodgate_auditor_heals_total',
    'floodgate_live_viewers',
    'process_cpu_seconds_total',
    'nodejs_eventloop_lag_seconds',
  ]) {
    expect(text).toContain(`# TYPE ${name} `);
  }
});

test('purchases, orders and gauges appear under their labels', async () => {
  const metrics = createMetrics();
  metrics.countPurchase('accepted');
  metrics.countOrders('confirmed', 7);
  metrics.setLedgerLag(1_500);
  metrics.setLiveViewers(3);
  const text = await metrics.text();
  expect(text).toContain('floodgate_purchases_total{outcome="accepted"} 1');
  expect(text).toContain('floodgate_orders_total{status="confirmed"} 7');
  expect(text).toContain('floodgate_ledger_lag_seconds 1.5');
  expect(text).toContain('floodgate_live_viewers 3');
});
