import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countInWindow,
  findIndexAfter,
  findLongestWait,
  formatCsv,
  formatJson,
  getInstantState,
  listChanges,
} from './runs';
import { parseScenario } from './scenario';
import type { AlgorithmRun, DecidedCall } from './types';

const ascending = fc.array(fc.integer({ min: 0, max: 1_000 })).map((list) => list.toSorted((a, b) => a - b));

const call = (at: number, changes: Partial<DecidedCall> = {}): DecidedCall => ({
  at,
  allowed: true,
  remaining: 0,
  retryAfterMs: 0,
  delayMs: 0,
  ...changes,
});

test('a time is in the window from its own millisecond until it is as old as the window', () => {
  const count = (at: number) => countInWindow([100], 50, at);
  expect([99, 100, 149, 150].map(count)).toEqual([0, 1, 1, 0]);
});

test('counts match the definition and change only at the listed times', () => {
  fc.assert(
    fc.property(ascending, fc.integer({ min: 1, max: 400 }), (instants, windowMs) => {
      const until = 1_500;
      const changes = listChanges([instants], windowMs, until);
      const defined = Array.from(
        { length: until + 1 },
        (_, at) => instants.filter((one) => one > at - windowMs && one <= at).length,
      );
      // Between two listed times, the count is that of the first one.
      expect(defined.map((_, at) => defined[changes.findLast((one) => one <= at) ?? 0])).toEqual(defined);
      expect(defined.map((_, at) => countInWindow(instants, windowMs, at))).toEqual(defined);
    }),
    { numRuns: 30 },
  );
});

test('the index after a time follows all equal times', () => {
  expect(findIndexAfter([1, 2, 2, 3], 2)).toBe(3);
  expect(findIndexAfter([], 2)).toBe(0);
});

describe('the state of an algorithm', () => {
  const decisions = [call(100), call(200, { delayMs: 300 }), call(250, { allowed: false, retryAfterMs: 70 })];

  test.each([
    [99, { inWindow: 0, last: undefined, queued: 0 }],
    [100, { inWindow: 1, last: decisions[0], queued: 0 }],
    // The second call waits until 500. The third call is refused and not counted.
    [260, { inWindow: 2, last: decisions[2], queued: 1 }],
    // (-..., 1 100] begins after 100.
    [1_100, { inWindow: 1, last: decisions[2], queued: 0 }],
  ])('at %i ms', (at, moment) => {
    expect(getInstantState({ decisions, windowMs: 1_000 }, at)).toEqual(moment);
  });
});

test('a queued call may wait longer than a refused one', () => {
  const refused = call(0, { allowed: false, retryAfterMs: 334 });
  expect(findLongestWait([call(0), call(0, { delayMs: 8_667 }), refused])).toBe(8_667);
  expect(findLongestWait([call(0), refused])).toBe(334);
  expect(findLongestWait([])).toBe(0);
});

describe('the files of a run', () => {
  const run: AlgorithmRun = {
    algorithm: 'sliding-log',
    decisions: [call(0, { remaining: 1 }), call(5, { allowed: false, retryAfterMs: 95 })],
    admitted: 1,
    refused: 1,
    worstWindow: 1,
    worstWindowEndsAt: 0,
    worstStarts: 1,
    worstStartsEndAt: 0,
    bound: 2,
    tookMs: { median: 1, max: 2 },
    keyBytes: 80,
    keys: [],
    tells: { admitted: null, refused: null },
  };

  test('the CSV file has one line for each decision', () => {
    expect(formatCsv([run]).split('\r\n')).toEqual([
      'algorithm,at_ms,allowed,remaining,retry_after_ms,delay_ms',
      'sliding-log,0,true,1,0,0',
      'sliding-log,5,false,0,95,0',
      '',
    ]);
  });

  test('the JSON file contains the scenario', () => {
    const scenario = parseScenario(new URLSearchParams('traffic=steady'));
    expect(JSON.parse(formatJson(scenario, [run]))).toEqual({
      query: 'traffic=steady&limit=10&window=10000&load=100&windows=3',
      scenario,
      runs: [run],
    });
  });
});
