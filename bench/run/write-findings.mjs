import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeMachine } from '../../scripts/lib/benchmarks/describe-machine.mjs';
import { writeSection } from '../../scripts/lib/benchmarks/write-section.mjs';
import { describeGoals } from '../report/goals.mjs';

const page = 'docs/benchmarks.md';
const plots = 'docs/benchmarks';
const results = '.data/bench-results.json';

/**
 * The finding of a figure, with the load of the machine.
 *
 * @typedef {object} Found
 * @property {import('./figure').Figure} figure
 * @property {import('./figure').Finding} finding
 * @property {{ before: number, after: number }} load  Load averages of one minute.
 */

/**
 * Writes the section of each figure in docs/benchmarks.md, its plots, and all numbers as JSON. Figures that were not
 * measured keep their earlier numbers.
 *
 * @param {readonly Found[]} found
 * @param {{ redis: string }} about
 */
export function writeFindings(found, { redis }) {
  mkdirSync(plots, { recursive: true });
  mkdirSync(path.dirname(results), { recursive: true });
  for (const { figure, finding, load } of found) {
    const command = `npm run bench -- --only ${figure.name}`;
    writeSection(page, `bench:${figure.name}`, describe({ figure, finding, load }, { redis, command }), {
      command: 'npm run bench',
    });
    for (const [file, content] of Object.entries(finding.plots))
      writeFileSync(path.join(plots, file), content);
  }
  const earlier = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
  const now = Object.fromEntries(
    found.map(({ figure, finding, load }) => [figure.name, { load, ...finding }]),
  );
  writeFileSync(results, `${JSON.stringify({ ...earlier, ...now }, null, 2)}\n`);
}

/**
 * @param {Found} found
 * @param {{ redis: string, command: string }} about
 */
function describe({ figure, finding, load }, { redis, command }) {
  const goals = finding.goals.length > 0 ? `\n${describeGoals(finding.goals)}\n` : '';
  return `## ${figure.title}

\`${command}\`, ${new Date().toISOString().slice(0, 10)}: ${redis}, ${describeMachine('call and serve')}. Load average of
the machine: ${load.before.toFixed(1)} at the start, ${load.after.toFixed(1)} at the end; the run itself causes about ${figure.ownLoad}.
${goals}
${finding.text}`;
}
