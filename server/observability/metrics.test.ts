import { describe, expect, test } from 'vitest';
import { createMetrics, type ObservedDecision } from './metrics';

test('the names are the published ones and those of Node', async () => {
  const text = await createMetrics().text();
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

describe('a decision is counted', () => {
  const levels = [{ level: 'user' }, { level: 'global' }];
  const rows: [string, ObservedDecision['decision'], string[]][] = [
    [
      'on each level that admitted it',
      { allowed: true, degraded: false, levels, shadowRefusals: [] },
      ['user admitted', 'global admitted'],
    ],
    ['on the one level that refused it', refusal('limited'), ['user refused']],
    ['as banned where a ban refused it', refusal('banned'), ['user banned']],
    [
      'as degraded where this node decided alone',
      { allowed: true, degraded: true, levels: [{ level: 'ip' }], shadowRefusals: [] },
      ['ip degraded'],
    ],
    [
      'once where an open policy knew no level',
      { allowed: true, degraded: true, levels: [], shadowRefusals: [] },
      ['* degraded'],
    ],
    [
      'on a shadow level that would have refused it, and by its outcome',
      { allowed: true, degraded: false, levels: [{ level: 'user' }], shadowRefusals: ['global'] },
      ['global shadow-refused', 'user admitted'],
    ],
    ['as unavailable if the store was down', undefined, ['* unavailable']],
  ];
  test.each(rows)('%s', async (_name, decision, expected) => {
    const metrics = createMetrics();
    metrics.observeDecision({ policy: 'coupon.seckill', decision, durationMs: 3 });
    const text = await metrics.text();
    const counted = [
      ...text.matchAll(/decisions_total\{policy="coupon.seckill",level="(.+?)",outcome="(.+?)"\} 1/g),
    ].map(([, level, outcome]) => `${level} ${outcome}`);
    expect(counted).toEqual(expected);
    expect(text).toContain('floodgate_rate_limit_decision_seconds_sum 0.003');
  });
});

test('purchases, orders and gauges appear under their labels', async () => {
  const metrics = createMetrics();
  metrics.countPurchase('accepted');
  metrics.countOrders('confirmed', 7);
  metrics.setLedgerLag(1_500);
  metrics.setLiveViewers(3);
  metrics.setStoreUp(true);
  metrics.setBreakerOpen(true);
  const text = await metrics.text();
  expect(text).toContain('floodgate_purchases_total{outcome="accepted"} 1');
  expect(text).toContain('floodgate_orders_total{status="confirmed"} 7');
  expect(text).toContain('floodgate_ledger_lag_seconds 1.5');
  expect(text).toContain('floodgate_live_viewers 3');
  expect(text).toContain('floodgate_rate_limit_store_up 1');
  expect(text).toContain('floodgate_rate_limit_breaker_open 1');
});

function refusal(reason: 'limited' | 'banned'): ObservedDecision['decision'] {
  return { allowed: false, reason, refusedBy: { level: 'user' }, shadowRefusals: [] };
}
