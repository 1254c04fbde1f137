/**
 * `npm run lighthouse`: audits the sale, the merchants, the lab and the operators' page as on a phone, writes the scores to
 * docs/benchmarks.md, and fails below the minimum. An empty page of the same Next.js shows what the machine allows. It is not part of `npm test`, because it fails on a busy machine.
 */
import { runMeasurement } from './lib/benchmarks/run-measurement.mjs';
import { buildApp } from './lib/build-app.mjs';
import { installPackages } from './lib/install-packages.mjs';
import { auditPage } from './lib/lighthouse/audit-page.mjs';
import { describeAudits } from './lib/lighthouse/describe-audits.mjs';
import { findShortfalls, summarise } from './lib/lighthouse/summarise.mjs';
import { withEmptyPage } from './lib/lighthouse/with-empty-page.mjs';
import { StepError } from './lib/step-error.mjs';
import { withRunningApp } from './lib/with-running-app.mjs';

const pages = [{ path: '/' }, { path: '/merchants' }, { path: '/lab' }, { path: '/ops', forOperators: true }];
const runs = 3;

await runMeasurement('lighthouse', async (steps) => {
  await steps.run('packages', installPackages);
  await steps.run('build', buildApp);
  const emptyReports = await withEmptyPage(async (url) => {
    await warmUp({ url, cookie: undefined });
    return steps.run('empty page', (note) => auditOften({ url, cookie: undefined }, note));
  });
  const empty = summarise('an empty page', emptyReports);
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
  const problems = audited.flatMap(({ reports }, index) => {
    const summary = summaries[index];
    return summary ? findShortfalls(summary, { reports, empty }) : [];
  });
  return { text: describeAudits(summaries, { empty, report: anyReport }), problems };
});

/**
 * A page to audit.
 *
 * @typedef {object} Visit
 * @property {string} url
 * @property {string | undefined} cookie  The session cookie of a signed-in user.
 */

/**
 * Requests a page 20 times. A server that has just started still compiles its code, on the cores that the browser needs.
 *
 * @param {Visit} visit
 */
async function warmUp({ url, cookie }) {
  for (let times = 0; times < 20; times += 1) {
    await (await fetch(url, { headers: cookie === undefined ? {} : { cookie } })).text();
  }
}

/**
 * @param {string} url  The address of a server in demo mode.
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
