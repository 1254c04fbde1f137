import { encodeScenario, type Scenario } from './scenario';
import type { AlgorithmRun } from './types';

const columns = ['algorithm', 'at_ms', 'allowed', 'remaining', 'retry_after_ms', 'delay_ms'];

/** Formats all decisions of a run as CSV (RFC 4180), one line each. No value needs quotes. */
export function formatCsv(runs: readonly AlgorithmRun[]): string {
  const lines = runs.flatMap(({ algorithm, decisions }) =>
    decisions.map(({ at, allowed, remaining, retryAfterMs, delayMs }) =>
      [algorithm, at, allowed, remaining, retryAfterMs, delayMs].join(','),
    ),
  );
  return [columns.join(','), ...lines, ''].join('\r\n');
}

/** Formats the reply of a run and its scenario as JSON. */
export function formatJson(scenario: Scenario, runs: readonly AlgorithmRun[]): string {
  return JSON.stringify({ query: encodeScenario(scenario).toString(), scenario, runs }, null, 2);
}
