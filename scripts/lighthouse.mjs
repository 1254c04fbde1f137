/**
 * `npm run lighthouse`: audits the sale, the merchants, the lab and the operators' page as a phone would load them, writes the numbers to
 * docs/benchmarks.md, and fails where they are below what is promised. Not part of `npm test`: a busy machine would
 * fail it.
 */

import { writeSection } from './lib/benchmarks/write-section.mjs';
import { buildApp } from './lib/build-app.mjs';
import { loadEnvFileWithoutSettings } from './lib/env-file.mjs';
import { installPackages } from './lib/install-packages.mjs';
import { auditPage } from './lib/lighthouse/audit-page.mjs';
import { describeAudits } from './lib/lighthouse/describe-audits.mjs';
import { findShortfalls, summarise } from './lib/lighthouse/summarise.mjs';
import { repoRoot } from './lib/repo-root.mjs';
import { describeError, StepError } from './lib/step-error.mjs';
import { createSteps } from './lib/steps.mjs';
import { stopOnSignal } from './lib/stop-on-signal.mjs';
import { withRunningApp } from './lib/with-running-app.mjs';

process.chdir(repoRoot);
loadEnvFileWithoutSettings();
stopOnSignal();
const pages = [{ path: '/' }, { path: '/merchants' }, { path: '/lab' }, { path: '/ops', forOperators: true }];
const runs = 3;
const steps = createSteps();

try {
  await steps.run('packages', installPackages);
  await steps.run('build', buildApp);
  const audited = await withRunningApp(async (url) => {
    const found = [];
    for (const { path, forOperators } of pages) {
      const visit = { url: url + path, cookie: forOperators ? await signInOperator(url) : undefined };
      await warmUp(visit);
      found.push({ path, reports: await steps.run(path, (note) => auditOften(visit, note)) });
    }
    return found;
  });
  const summaries = audited.map(({ path, reports }) => summarise(path, reports));
  const anyReport = audited[0]?.reports[0];
  if (!anyReport) throw new StepError('No page was audited.');
  writeSection('docs/benchmarks.md', 'lighthouse', describeAudits(summaries, anyReport));
  const problems = audited.flatMap(({ reports }, place) => {
    const summary = summaries[place];
    return summary ? findShortfalls(summary, reports) : [];
  });
  if (problems.length > 0) throw new StepError(problems.join('\n'));
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

/**
 * What is visited, and as whom.
 *
 * @typedef {object} Visit
 * @property {string} url
 * @property {string | undefined} cookie  Of who is signed in.
 */

/**
 * A server that has just started still compiles its own code, on the cores that the browser needs.
 *
 * @param {Visit} visit
 */
async function warmUp({ url, cookie }) {
  for (let times = 0; times < 20; times += 1) {
    await (await fetch(url, { headers: cookie === undefined ? {} : { cookie } })).text();
  }
}

/**
 * @param {string} url  Of a demo, where anyone may become its operator.
 * @returns {Promise<string>} The `Cookie` header of the operator.
 */
async function signInOperator(url) {
  const { headers } = await fetch(`${url}/api/trpc/auth.signInDemo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ role: 'admin' }),
  });
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/**
 * @param {Visit} visit
 * @param {(text: string) => void} note
 */
async function auditOften({ url, cookie }, note) {
  const reports = [];
  for (let run = 0; run < runs; run += 1) reports.push(await auditPage(url, { cookie }));
  const scores = reports.map(({ categories }) =>
    Object.values(categories)
      .map(({ score }) => Math.round((score ?? 0) * 100))
      .join('/'),
  );
  note(`performance/accessibility/best practices/SEO: ${scores.join(', ')}`);
  return reports;
}
