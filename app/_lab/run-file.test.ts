import { expect, test } from 'vitest';
import { formatCsv, formatJson } from './run-file';
import { parseScenario } from './scenario';
import type { AlgorithmRun } from './types';

const run: AlgorithmRun = {
  algorithm: 'sliding-log',
  decisions: [
    { at: 0, allowed: true, remaining: 1, retryAfterMs: 0, delayMs: 0 },
    { at: 5, allowed: false, remaining: 0, retryAfterMs: 95, delayMs: 0 },
  ],
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
