import { encodeScenario, getSpanMs, type Scenario } from '../../../app/_lab/scenario';
import type { AlgorithmRun } from '../../../server/lab/run';
import { alignColumns } from './align-columns';

const BAR_COLUMNS = 60;
const heads = ['algorithm', 'admitted', 'refused', 'worst window', 'promised', 'bytes'] as const;

/**
 * Formats a run as a table with a timeline for each algorithm: `#` all calls admitted, `+` some, `-` none. The line below
 * marks the fullest window.
 */
export function describeRun(scenario: Scenario, runs: readonly AlgorithmRun[]): string {
  const { limit, windowMs, subWindows } = scenario;
  const calls = runs[0]?.decisions.length ?? 0;
  const spanMs = Math.max(1, getSpanMs(scenario));
  const rows = runs.map((run) => [
    run.algorithm,
    String(run.admitted),
    String(run.refused),
    `${run.worstWindow} of ${limit}${run.worstWindow > limit ? ' !' : '  '}`,
    `<= ${run.bound}`,
    String(run.keyBytes),
  ]);
  const [head = '', ...lines] = alignColumns(heads, rows);
  const indent = ' '.repeat(head.length);
  return [
    `${encodeScenario(scenario)}`,
    `${calls} calls in ${secondsOf(spanMs)}; at most ${limit} in any ${secondsOf(windowMs)}`,
    `sliding-counter with ${subWindows} sub-window${subWindows === 1 ? '' : 's'} of ${secondsOf(Math.ceil(windowMs / subWindows))}`,
    '',
    head,
    ...runs.flatMap((run, index) => [
      `${lines[index]}  |${bar(run, spanMs)}|`,
      `${indent}   ${mark(run, { spanMs, windowMs })}`.trimEnd(),
    ]),
    '',
    '# all admitted   + some   - none   ^ the worst window',
  ].join('\n');
}

function bar({ decisions }: AlgorithmRun, spanMs: number): string {
  const columns = Array.from({ length: BAR_COLUMNS }, () => ({ admitted: 0, refused: 0 }));
  for (const { at, allowed } of decisions) {
    const column = columns[columnOf(at, spanMs)];
    if (column) column[allowed ? 'admitted' : 'refused'] += 1;
  }
  return columns
    .map(({ admitted, refused }) => {
      if (admitted + refused === 0) return ' ';
      if (refused === 0) return '#';
      return admitted === 0 ? '-' : '+';
    })
    .join('');
}

function mark(
  { worstWindowEndsAt: end }: AlgorithmRun,
  { spanMs, windowMs }: { spanMs: number; windowMs: number },
): string {
  if (end === null) return '';
  const first = columnOf(Math.max(0, end - windowMs + 1), spanMs);
  return ' '.repeat(first) + '^'.repeat(columnOf(end, spanMs) - first + 1);
}

function columnOf(at: number, spanMs: number): number {
  return Math.min(BAR_COLUMNS - 1, Math.floor((at * BAR_COLUMNS) / spanMs));
}

function secondsOf(ms: number): string {
  return `${ms / 1_000} s`;
}
