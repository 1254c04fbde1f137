import { createTranslator } from 'next-intl';
import { expect, test } from 'vitest';
import en from '../_i18n/en.json';
import zh from '../_i18n/zh.json';
import {
  countUnchecked,
  formatHealth,
  isRepairing,
  listFailingChecks,
  listNodeFaults,
  needsOperator,
} from './health';
import type { Health, OpsEvent } from './live/ops-event';

const translators = {
  en: { language: 'en', t: createTranslator({ locale: 'en-GB', messages: en, namespace: 'ops.finding' }) },
  zh: { language: 'zh', t: createTranslator({ locale: 'zh', messages: zh, namespace: 'ops.finding' }) },
};

const lag: Health = {
  ok: false,
  detail: '16000 ms behind; sales are paused until it has caught up',
  findings: [{ code: 'lag-too-long', values: { lagMs: 16_000 } }],
};

test('a finding is shown in the language of the page', () => {
  expect(formatHealth(translators.en, lag)).toBe(
    '16,000 ms behind. Sales are paused until it has caught up.',
  );
  expect(formatHealth(translators.zh, lag)).toBe('落后 16,000 毫秒，追上之前暂停抢购。');
});

test('several findings of one check are all shown', () => {
  const health: Health = {
    ok: true,
    detail: 'answers; the breaker is open, calls do not wait for it',
    findings: [{ code: 'answers' }, { code: 'breaker', values: { state: 'open' } }],
  };
  expect(formatHealth(translators.zh, health)).toBe('响应正常。熔断器已断开，请求不再等待。');
});

test.each([
  [5, 5, '5 sales match.', '5 个活动账目相符。'],
  [4, 5, '4 sales match, 1 unchecked.', '4 个活动相符，1 个未核对。'],
])('an audit with %d of %d sales consistent says what the others are', (consistent, audited, en, zh) => {
  const health: Health = {
    ok: true,
    detail: `${consistent} of ${audited} sales are consistent`,
    findings: [{ code: 'audited', values: { consistent, audited } }],
  };
  expect(formatHealth(translators.en, health)).toBe(en);
  expect(formatHealth(translators.zh, health)).toBe(zh);
});

test.each([
  [59, 'No audit for 59 s.', '已有 59 秒没有对账。'],
  [420, 'No audit for 7 min.', '已有 7 分钟没有对账。'],
])('a missing audit of %d s is in minutes from one on', (seconds, en, zh) => {
  const health: Health = {
    ok: false,
    detail: `no audit for ${seconds} s`,
    findings: [{ code: 'no-audit', values: { seconds } }],
  };
  expect(formatHealth(translators.en, health)).toBe(en);
  expect(formatHealth(translators.zh, health)).toBe(zh);
});

test('an audit that repairs a sale says so, before the others', () => {
  const health: Health = {
    ok: true,
    detail: '4 of 4 sales are consistent; 1 being rebuilt',
    findings: [
      { code: 'repairing', values: { count: 1 } },
      { code: 'audited', values: { consistent: 4, audited: 4 } },
    ],
  };
  expect(isRepairing(health)).toBe(true);
  expect(isRepairing(lag)).toBe(false);
  expect(formatHealth(translators.en, health)).toBe('Repairing the stock of 1 sale. 4 sales match.');
  expect(formatHealth(translators.zh, health)).toBe('正在修复 1 个活动的库存。4 个活动账目相符。');
});

test('a check that failed has no findings, and its English detail is not shown', () => {
  expect(formatHealth(translators.zh, { ok: false, detail: 'the check failed' })).toBe('检查未能完成。');
});

test('a code of a newer server is shown as its detail', () => {
  const health = { ok: false, detail: 'is on fire', findings: [{ code: 'on-fire' }] };
  expect(formatHealth(translators.zh, health as Health)).toBe('is on fire');
});

const up: Health = { ok: true, detail: 'answers' };
const down: Health = { ok: false, detail: 'does not answer' };
const unchecked: Health = { ok: false, detail: 'no result yet', findings: [{ code: 'not-checked-yet' }] };
/** An event in which Redis and Postgres answer, besides the given checks. */
const eventOf = (health: OpsEvent['health'] = {}) => ({
  ...{ nodes: [], alerts: { active: [], recent: [] } },
  health: { redis: up, postgres: up, ...health },
});

test('the failing checks of the fleet and of single nodes are named once', () => {
  const nodes = ['a', 'b'].map((node) => ({ node, viewers: 0, failing: ['redisErrors', 'postgres'] }));
  expect(listFailingChecks({ ...eventOf({ postgres: down, auditor: unchecked }), nodes })).toEqual([
    'postgres',
    'redisErrors',
  ]);
  expect(listFailingChecks(eventOf())).toEqual([]);
});

test('an operator is needed while an alert is active or a check fails', () => {
  expect(needsOperator(eventOf())).toBe(false);
  expect(needsOperator(eventOf({ postgres: unchecked }))).toBe(false);
  expect(needsOperator(eventOf({ postgres: down }))).toBe(true);
  expect(needsOperator({ ...eventOf(), nodes: [{ node: 'b', viewers: 0, failing: ['redis'] }] })).toBe(true);
  const alert = {
    ...{ id: 'a', rule: 'store-down', target: 'redis', raisedAt: 1, highSince: 1, value: 2, threshold: 1 },
    ...{ values: [2], spanMs: 1_000 },
  };
  expect(needsOperator({ ...eventOf(), alerts: { active: [alert], recent: [] } })).toBe(true);
});

const node = (name: string, ...failing: string[]) => ({ node: name, viewers: 0, failing });

test('a fault of all nodes is not repeated for each node', () => {
  const health = { redis: down, postgres: up };
  expect(listNodeFaults({ health, nodes: [node('a', 'redis')] })).toEqual([]);
  expect(listNodeFaults({ health, nodes: [node('a', 'redis'), node('b', 'redis', 'postgres')] })).toEqual([
    node('b', 'postgres'),
  ]);
});

test('a fault of one node names it, also if the node that answers has it', () => {
  const nodes = [node('a', 'redis'), node('b')];
  expect(listNodeFaults({ health: { redis: up }, nodes })).toEqual([node('a', 'redis')]);
  expect(listNodeFaults({ health: { redis: down }, nodes })).toEqual([node('a', 'redis')]);
});

test('an audit that could not compare a sale counts it as unchecked', () => {
  const audit = (values: Record<string, number>): Health => ({
    ok: true,
    detail: '',
    findings: [{ code: 'audited', values }],
  });
  expect(countUnchecked(audit({ consistent: 5, audited: 6 }))).toBe(1);
  expect(countUnchecked(audit({ consistent: 5, audited: 5 }))).toBe(0);
  expect(countUnchecked(lag)).toBe(0);
});
