/**
 * `npm run lighthouse`: audits the sale, the merchants, the lab and the operators' page as on a phone, writes the scores to
 * docs/benchmarks.md, and fails below the minimum. An empty page of the same Next.js shows what the machine allows. It is not
 * part of `npm test`, because it fails on a busy machine.
 */
import { runMeasurement } from './lib/benchmarks/run-measurement.mjs';
import { buildApp } from './lib/build-app.mjs';
import { auditPage } from './lib/lighthouse/audit-page.mjs';
import { describeAudits } from './lib/lighthouse/describe-audits.mjs';
import { findShortfalls, summarise } from './lib/lighthouse/summarise.mjs';
import { withEmptyPage } from './lib/lighthouse/with-empty-page.mjs';
import { installPackages } from './lib/packages.mjs';
import { StepError } from './lib/steps.mjs';
import { withRunningApp } from './lib/with-running-app.mjs';

const pages = [{ path: '/' }, { path: '/merchants' }, { path: '/lab' }, { path: '/ops', forOperators: true }];
const EMPTY = 'an empty page';
const ROUNDS = 9;

await runMeasurement('lighthouse', async (steps) => {
  await steps.run('packages', installPackages);
  await steps.run('build', buildApp);
  const [emptyReports = [], ...reportsOfPages] = await withEmptyPage((emptyUrl) =>
    withRunningApp(async (url) => {
      const cookie = await signInOperator(url);
      const visits = [
        { name: EMPTY, url: emptyUrl, cookie: undefined },
        ...pages.map(({ path, forOperators }) => {
          return { name: path, url: url + path, cookie: forOperators ? cookie : undefined };
        }),
      ];
      for (const visit of visits) await warmUp(visit);
      return auditInRounds(visits, steps);
    }),
  );
  const empty = summarise(EMPTY, emptyReports, emptyReports);
  const summaries = reportsOfPages.map((reports, index) =>
    summarise(pages[index]?.path ?? '', reports, emptyReports),
  );
  const [anyReport] = emptyReports;
  if (!anyReport) throw new StepError('No page was audited.');
  const problems = reportsOfPages.flatMap((reports, index) => {
    const summary = summaries[index];
    return summary ? findShortfalls(summary, { reports, empty }) : [];
  });
  return { text: describeAudits(summaries, { empty, report: anyReport }), problems };
});

/**
 * A page to audit.
 *
 * @typedef {object} Visit
 * @property {string} name
 * @property {string} url
 * @property {string | undefined} cookie  The session cookie of a signed-in user.
 */

/**
 * Requests a page 20 times. A server that has just started still compiles its code, on the cores that the browser needs.
 *
 * @param {Pick<Visit, 'url' | 'cookie'>} visit
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
 * Audits all pages once in each round, because the speed of a machine changes within minutes.
 *
 * @param {readonly Visit[]} visits
 * @param {import('./lib/steps.mjs').Steps} steps
 * @returns {Promise<import('./lib/lighthouse/audit-page.mjs').Report[][]>} The reports of each page, by round.
 */
async function auditInRounds(visits, steps) {
  /** @type {import('./lib/lighthouse/audit-page.mjs').Report[][]} */
  const reports = visits.map(() => []);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await steps.run(`round ${round}`, async (note) => {
      for (const [index, { url, cookie }] of visits.entries())
        reports[index]?.push(await auditPage(url, { cookie }));
      note(visits.map(({ name }, index) => `${name} ${scoresOf(reports[index]?.at(-1))}`).join(', '));
    });
  }
  return reports;
}

/** @param {import('./lib/lighthouse/audit-page.mjs').Report | undefined} report */
function scoresOf(report) {
  return Object.values(report?.categories ?? {})
    .map(({ score }) => Math.round((score ?? 0) * 100))
    .join('/');
}
