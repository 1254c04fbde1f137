/**
 * `npm run lighthouse`: audits the sale, the merchants and the lab as a phone would load them, writes the numbers to
 * docs/benchmarks.md, and fails where they are below what is promised. Not part of `npm test`: a busy machine would
 * fail it.
 */

import { writeSection } from './benchmarks/write-section.mjs';
import { buildApp } from './build-app.mjs';
import { installPackages } from './install-packages.mjs';
import { auditPage } from './lighthouse/audit-page.mjs';
import { describeAudits } from './lighthouse/describe-audits.mjs';
import { shortfalls, summarise } from './lighthouse/summarise.mjs';
import { withOpenApp } from './open-app.mjs';
import { repoRoot } from './repo-root.mjs';
import { describeError, StepError } from './step-error.mjs';
import { createSteps } from './steps.mjs';
import { stopOnSignal } from './stop-on-signal.mjs';

process.chdir(repoRoot);
stopOnSignal();
const paths = ['/', '/merchants', '/lab'];
const runs = 3;
const steps = createSteps();

try {
  await steps.run('packages', installPackages);
  await steps.run('build', buildApp);
  const audited = await withOpenApp(async (url) => {
    const pages = [];
    for (const path of paths) {
      await warmUp(url + path);
      pages.push({ path, reports: await steps.run(path, (note) => auditOften(url + path, note)) });
    }
    return pages;
  });
  const pages = audited.map(({ path, reports }) => summarise(path, reports));
  const anyReport = audited[0]?.reports[0];
  if (!anyReport) throw new StepError('No page was audited.');
  writeSection('docs/benchmarks.md', 'lighthouse', describeAudits(pages, anyReport));
  const problems = audited.flatMap(({ reports }, place) => {
    const page = pages[place];
    return page ? shortfalls(page, reports) : [];
  });
  if (problems.length > 0) throw new StepError(problems.join('\n'));
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

/**
 * A server that has just started still compiles its own code, on the cores that the browser needs.
 *
 * @param {string} url
 */
async function warmUp(url) {
  for (let visit = 0; visit < 20; visit += 1) await (await fetch(url)).text();
}

/**
 * @param {string} url
 * @param {(text: string) => void} note
 */
async function auditOften(url, note) {
  const reports = [];
  for (let run = 0; run < runs; run += 1) reports.push(await auditPage(url));
  const scores = reports.map(({ categories }) =>
    Object.values(categories)
      .map(({ score }) => Math.round((score ?? 0) * 100))
      .join('/'),
  );
  note(`performance/accessibility/best practices/SEO: ${scores.join(', ')}`);
  return reports;
}
