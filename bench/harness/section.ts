import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { runScript } from '../../scripts/lib/script.mjs';
import type { Steps } from '../../scripts/lib/steps.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';

/** The page with all measured numbers. */
export const BENCHMARKS_PAGE = 'docs/benchmarks.md';

/**
 * Runs an npm command that measures, writes the text into its section of docs/benchmarks.md, and fails with the problems.
 */
export function runMeasurement(
  section: string,
  measure: (steps: Steps) => Promise<{ text: string; problems: readonly string[] }>,
): Promise<void> {
  return runScript(async (steps) => {
    const { text, problems } = await measure(steps);
    writeSection(BENCHMARKS_PAGE, section, text, { command: `npm run ${section}` });
    if (problems.length > 0) throw new StepError(problems.join('\n'));
  });
}

/**
 * Replaces one generated section of a Markdown file, or appends it. The text around the section stays. `name`: the name in
 * the markers around the section. `command`: the command that writes it.
 */
export function writeSection(
  file: string,
  name: string,
  text: string,
  { command }: { command: string },
): void {
  const begin = `<!-- ${name}: begin, written by ${command} -->`;
  const end = `<!-- ${name}: end -->`;
  const section = `${begin}\n\n${text.trim()}\n\n${end}`;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '# Benchmarks\n';
  const from = before.indexOf(begin);
  const to = before.indexOf(end);
  const after =
    from >= 0 && to > from
      ? before.slice(0, from) + section + before.slice(to + end.length)
      : `${before.trimEnd()}\n\n${section}\n`;
  writeFileSync(file, after);
}

/** Describes the machine of a measurement, as part of a sentence. `otherWork`: what its cores also do meanwhile. */
export function describeMachine(otherWork: string): string {
  const model = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  return `Node ${process.versions.node.split('.')[0]}, ${os.availableParallelism()} cores (${model}) that also ${otherWork}`;
}
