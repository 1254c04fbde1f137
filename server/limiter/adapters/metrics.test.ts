import { Registry } from 'prom-client';
import { describe, expect, test, vi } from 'vitest';
import { downStore } from '../../../test/store-commands';
import type { Admitted, DecisionOutcome } from '../decide/decision';
import type { DecisionObserver } from '../decide/observers';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { memoryStore } from '../stores/memory-store';
import { observe } from './metrics';

const secret = 'a secret of at least 32 characters';
const window = { limit: 1, windowMs: 60_000 };
const policy = definePolicy({ name: 'greet', levels: [{ level: 'user', ...window }] });

type Counted = DecisionOutcome['decision'];

describe('a decision is counted', () => {
  const levels = [{ level: 'user' }, { level: 'global' }];
  const refusal = (reason: string) => ({
    allowed: false,
    reason,
    refusedBy: { level: 'user' },
    shadowRefusals: [],
  });
  const rows: [string, object | undefined, string[]][] = [
    [
      'on each level that admitted it',
      { allowed: true, degraded: false, levels, shadowRefusals: [] },
      ['user admitted', 'global admitted'],
    ],
    ['on the one level that refused it', refusal('limited'), ['user refused']],
    ['as banned where a ban refused it', refusal('banned'), ['user banned']],
    ['as blocked where a block refused it', refusal('blocked'), ['user blocked']],
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
    const register = new Registry();
    let decide: DecisionObserver = () => undefined;
    const subscribe = (observer: DecisionObserver) => {
      decide = observer;
      return () => undefined;
    };
    observe({ ...createLimiter({ store: memoryStore(), secret }), subscribe }, register);
    decide({ policy: 'greet', decision: decision as Counted, durationMs: 3, counted: [], source: 'store' });
    const text = await register.metrics();
    const counted = [...text.matchAll(/decisions_total\{policy="greet",level="(.+?)",outcome="(.+?)"\} 1/g)];
    expect(counted.map(([, level, outcome]) => `${level} ${outcome}`)).toEqual(expected);
    expect(text).toContain('floodgate_rate_limit_decision_seconds_sum 0.003');
  });
});

test('the metrics of a limiter show its decisions and its store, next to onDecision', async () => {
  const onDecision = vi.fn<DecisionObserver>();
  const limiter = createLimiter({ store: memoryStore(), secret, onDecision });
  const register = new Registry();
  const stop = observe(limiter, register);
  for (let made = 0; made < 3; made += 1) await limiter.check(policy, { user: 'ada' });
  const text = await register.metrics();
  expect(text).toContain('{policy="greet",level="user",outcome="admitted"} 1');
  expect(text).toContain('{policy="greet",level="user",outcome="refused"} 2');
  expect(text).toContain('floodgate_rate_limit_store_up 1');
  expect(text).toContain('floodgate_rate_limit_breaker_open 0');
  expect(onDecision.mock.calls.map(([{ source }]) => source)).toEqual(['store', 'cache', 'cache']);
  stop();
  await limiter.check(policy, { user: 'ada' });
  expect(await register.metrics()).toContain('outcome="refused"} 2');
  expect(onDecision).toHaveBeenCalledTimes(4);
});

test('while the store is down, the gauges and the outcome with its kind of error say so', async () => {
  const onDecision = vi.fn<DecisionObserver>();
  const limiter = createLimiter({ store: downStore(), secret, onDecision });
  const register = new Registry();
  observe(limiter, register);
  await expect(limiter.check(policy, { user: 'ada' })).rejects.toThrow('the store failed');
  await limiter.check({ ...policy, name: 'open', onStoreError: 'open' }, { user: 'ada' });
  expect(onDecision.mock.calls.map(([{ source, error }]) => [source, error?.kind])).toEqual([
    ['store', 'disconnected'],
    ['local', 'disconnected'],
  ]);
  const text = await register.metrics();
  expect(text).toContain('{policy="greet",level="*",outcome="unavailable"} 1');
  expect(text).toContain('{policy="open",level="*",outcome="degraded"} 1');
  expect(text).toContain('floodgate_rate_limit_store_up 0');
});

test('a limiter that is created again, as by a hot reload, continues the counters of the register', async () => {
  const register = new Registry();
  for (const user of ['ada', 'bob']) {
    const limiter = createLimiter({ store: memoryStore(), secret });
    observe(limiter, register);
    await limiter.check(policy, { user });
  }
  expect(await register.metrics()).toContain('outcome="admitted"} 2');
});

test('decisions, peek and metrics show leased units as used, and the metrics how many are idle', async () => {
  const clock = { now: 1_795_226_300_000 };
  const store = memoryStore({ clock: () => clock.now });
  const limiter = createLimiter({ store, secret, clock: () => clock.now });
  const register = new Registry();
  observe(limiter, register);
  const level = { algorithm: 'sliding-counter', subWindows: 50, limit: 1_000, windowMs: 10_000 } as const;
  const leased = definePolicy({
    name: 'leased',
    levels: [{ level: 'global', ...level, lease: { forMs: 500 } }],
  });
  expect(await register.metrics()).not.toContain('leased_idle_units{');
  for (let made = 1; made <= 20; made += 1) {
    clock.now += 10;
    const { levels } = (await limiter.check(leased, {})) as Admitted;
    // As headers show it: units of a batch are used from the start.
    expect(levels[0]?.remaining).toBeLessThanOrEqual(1_000 - made);
  }
  // The units that the last call took ahead have arrived.
  await new Promise(setImmediate);
  const [units] = limiter.leasedUnits();
  expect(units).toEqual({ policy: 'leased', level: 'global', idle: expect.any(Number) });
  expect(units?.idle).toBeGreaterThan(0);
  const { windows } = await limiter.peek(leased, {});
  expect(windows[0]?.used).toBe(20 + Number(units?.idle));
  const gauge = `floodgate_rate_limit_leased_idle_units{policy="leased",level="global"} ${units?.idle}`;
  expect(await register.metrics()).toContain(gauge);
  await limiter.close();
  expect(await register.metrics()).not.toContain('leased_idle_units{');
});
