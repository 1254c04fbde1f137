import { runScript } from '../script.mjs';
import { StepError } from '../steps.mjs';
import { writeSection } from './write-section.mjs';

/**
 * Runs an npm command that measures, writes the text into its section of docs/benchmarks.md, and fails with the problems.
 * Without a text it writes nothing.
 *
 * @param {string} section
 * @param {(steps: import('../steps.mjs').Steps) => Promise<{ text?: string, problems: readonly string[] }>} measure
 */
export function runMeasurement(section, measure) {
  return runScript(async (steps) => {
    const { text, problems } = await measure(steps);
    if (text !== undefined) writeSection('docs/benchmarks.md', section, text);
    if (problems.length > 0) throw new StepError(problems.join('\n'));
  });
}
