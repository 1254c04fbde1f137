import { queryOf, type Scenario } from './scenario';
import type { AlgorithmRun } from './types';

const columns = ['algorithm', 'at_ms', 'allowed', 'remaining', 'retry_after_ms', 'delay_ms'];

/** All decisions of a run as comma-separated values (RFC 4180), one line each. No value needs quotes. */
export function csvOf(runs: readonly AlgorithmRun[]): string {
  const lines = runs.flatMap(({ algorithm, decisions }) =>
    decisions.map(({ at, allowed, remaining, retryAfterMs, delayMs }) =>
      [algorithm, at, allowed, remaining, retryAfterMs, delayMs].join(','),
    ),
  );
  return [columns.join(','), ...lines, ''].join('\r\n');
}

/** A run as it was answered, with the scenario that it is of. */
export function jsonOf(scenario: Scenario, runs: readonly AlgorithmRun[]): string {
  return JSON.stringify({ query: queryOf(scenario).toString(), scenario, runs }, null, 2);
}
