import { expect, test } from 'vitest';
import type { Health, OpsEvent } from '../live/ops-event';
import {
  hasRecentRefusals,
  listFailingChecks,
  needsOperator,
  readAdmitted,
  readHeadline,
} from './read-headline';

const up: Health = { ok: true, detail: 'answers', findings: [{ code: 'answers' }] };
const down: Health = { ok: false, detail: 'does not answer', findings: [{ code: 'no-answer' }] };
const unchecked: Health = { ok: false, detail: 'no result yet', findings: [{ code: 'not-checked-yet' }] };
const erring: Health = { ok: false, detail: 'errors', findings: [{ code: 'error-reply' }] };
const event = (health: OpsEvent['health'] = {}, stale = false) => ({
  ...{ stale, nodes: [], windows: [], serverNow: 60_000, alerts: { active: [], recent: [] } },
  health: { redis: up, postgres: up, ...health },
});
const headlineOf = (facts: Partial<Parameters<typeof readHeadline>[0]>) =>
  readHeadline({
    ...{ traffic: 'busy', refusedShare: 0, event: event() },
    ...{ fullKey: undefined, isRefusing: false, hadCalls: false },
    ...facts,
  });

test.each([
  ['redisFailing', event({ redis: down })],
  ['redisFailing', event({}, true)],
  ['postgresFailing', event({ postgres: down })],
  ['storesFailing', event({ redis: down, postgres: down })],
])('%s leads the headline, also in a flood', (headline, failing) => {
  expect(headlineOf({ traffic: 'flood', event: failing })).toBe(headline);
});

test('a check without a result, and a store that answers with errors, are not a failing store', () => {
  expect(headlineOf({ event: event({ redis: unchecked, postgres: unchecked }) })).toBe('busy');
  expect(headlineOf({ event: event({ redis: erring }) })).toBe('errors');
});

test('a store whose check is slow is failing once the alert has fired', () => {
  const slow: Health = { ok: false, detail: 'no answer in 300 ms', findings: [{ code: 'slow' }] };
  const alert = { id: 'a', rule: 'store-down', target: 'redis', raisedAt: 1, value: 1, threshold: 1 };
  const alerts = { active: [alert], recent: [] };
  expect(headlineOf({ event: event({ redis: slow, postgres: slow }) })).toBe('busy');
  expect(headlineOf({ traffic: 'flood', event: event({ redis: slow }) })).toBe('flood');
  expect(headlineOf({ event: { ...event({ redis: slow, postgres: slow }), alerts } })).toBe('redisFailing');
  expect(headlineOf({ event: event({ redis: slow }, true) })).toBe('redisFailing');
});

test('many refusals are named before a full window, and a full window before normal traffic', () => {
  expect(headlineOf({ traffic: 'refusing', fullKey: 'seckill:global' })).toBe('refusing');
  expect(headlineOf({ fullKey: 'seckill:global' })).toBe('full');
  expect(headlineOf({ traffic: 'quiet' })).toBe('quiet');
});

test('few calls, half of them refused, are not normal traffic', () => {
  expect(headlineOf({ refusedShare: 0.49 })).toBe('busy');
  expect(headlineOf({ refusedShare: 0.5 })).toBe('few');
  expect(headlineOf({ refusedShare: 0.5, fullKey: 'seckill:global' })).toBe('full');
});

test('it is not quiet while a window counts a call that the rates do not show yet', () => {
  const hitAt = (hit: number) => ({ ...event(), windows: [{ hits: [hit] } as OpsEvent['windows'][number]] });
  expect(headlineOf({ traffic: 'quiet', event: hitAt(58_000) })).toBe('starting');
  expect(headlineOf({ traffic: 'quiet', event: hitAt(58_000), hadCalls: true })).toBe('resuming');
  expect(headlineOf({ traffic: 'quiet', event: hitAt(50_000) })).toBe('quiet');
});

test.each(['quiet', 'busy'] as const)('first refusals are named before %s traffic', (traffic) => {
  expect(headlineOf({ traffic, isRefusing: true })).toBe('refusalsBegin');
  expect(headlineOf({ traffic, isRefusing: true, fullKey: 'seckill:global' })).toBe('full');
});

test('refusals in the rates are not first refusals', () => {
  expect(headlineOf({ refusedShare: 0.2, isRefusing: true })).toBe('busy');
  expect(headlineOf({ traffic: 'flood', refusedShare: 0.8, isRefusing: true })).toBe('flood');
});

test('regression: not all calls get through while a mark of the last ten seconds has refusals', () => {
  const tenSeconds = { ...event(), withinMs: 10_000 };
  const marksAt = (at: number) => ({ 'seckill:user': [], 'seckill:global': [{ at, count: 35 }] });
  expect(hasRecentRefusals(marksAt(58_000), tenSeconds)).toBe(true);
  expect(hasRecentRefusals(marksAt(50_000), tenSeconds)).toBe(false);
  expect(hasRecentRefusals({}, tenSeconds)).toBe(false);
});

test('the failing checks of the fleet and of single nodes are named once', () => {
  const nodes = ['a', 'b'].map((node) => ({ node, viewers: 0, failing: ['redisErrors', 'postgres'] }));
  expect(listFailingChecks({ ...event({ postgres: down, auditor: unchecked }), nodes })).toEqual([
    'postgres',
    'redisErrors',
  ]);
  expect(listFailingChecks(event())).toEqual([]);
});

test('an operator is needed while an alert is active or a check fails', () => {
  expect(needsOperator(event())).toBe(false);
  expect(needsOperator(event({ postgres: unchecked }))).toBe(false);
  expect(needsOperator(event({ postgres: down }))).toBe(true);
  expect(needsOperator({ ...event(), nodes: [{ node: 'b', viewers: 0, failing: ['redis'] }] })).toBe(true);
  const alert = { id: 'a', rule: 'store-down', target: 'redis', raisedAt: 1, value: 1, threshold: 1 };
  expect(needsOperator({ ...event(), alerts: { active: [alert], recent: [] } })).toBe(true);
});

test.each([
  [0.01, 'mostAdmitted'],
  [0.1, 'someRefused'],
  [0.49, 'someRefused'],
])('normal traffic with a refused share of %d: %s', (refusedShare, words) => {
  expect(readAdmitted(refusedShare)).toBe(words);
});
