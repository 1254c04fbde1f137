/**
 * `npm run lighthouse`: audits pages as on a phone, writes the scores to docs/benchmarks.md, and fails below the minimum. An
 * empty page of the same Next.js shows what the machine allows. `npm test` leaves it out, because a busy machine fails it.
 */
import { readFile } from 'node:fs/promises';
import { request } from '@playwright/test';
import { startProcess } from '../bench/harness/process';
import { table } from '../bench/harness/report';
import { measureInRounds, median } from '../bench/harness/rounds';
import { describeMachine, runMeasurement } from '../bench/harness/section';
import { runCommand, runOrThrow, tail } from './lib/processes.mjs';
import { StepError } from './lib/steps.mjs';
import { chromiumArgs, findChromium } from './lib/tools.mjs';
import { prepareApp, withRunningApp } from './lib/with-running-app';

/** Installed on first use: with what it needs it is a quarter of all packages, and no test uses it. */
const LIGHTHOUSE = 'lighthouse@12.8.2';
/** The message of Lighthouse when the browser lost the recording, which is no fault of the page. */
const LOST_RECORDING = 'Please run Lighthouse again';
const REPORT_FILE = '.data/lighthouse.json';
const ROUNDS = 9;
const MIN_SCORES = { accessibility: 1, 'best-practices': 1, seo: 1 };
/** The maximum by which a page's performance is below that of the empty page, which shows what the machine allows. */
const MAX_SCORE_BELOW_EMPTY = 0.04;
/** The audits with a number in the table, and the greatest that is allowed, in milliseconds but for the shift. */
const AUDITS = [
  { audit: 'first-contentful-paint', max: Number.POSITIVE_INFINITY },
  { audit: 'largest-contentful-paint', max: 2_500 },
  { audit: 'total-blocking-time', max: Number.POSITIVE_INFINITY },
  { audit: 'cumulative-layout-shift', max: 0.02 },
];

/** The parts of Lighthouse's result that are used here. */
interface Report {
  categories: Record<string, { score: number | null }>;
  audits: Record<string, { numericValue?: number }>;
}

/** A page, and the session cookie of its user. */
interface Visit {
  name: string;
  url: string;
  cookie?: string;
}

await runMeasurement('lighthouse', async (steps) => {
  await prepareApp(steps);
  await steps.run('empty page', () =>
    runOrThrow('node_modules/.bin/next', ['build', 'bench/next-app'], {
      env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    }),
  );
  const { about, stop } = await startProcess<never, { port: number }>('bench/servers/empty-page.ts', []);
  try {
    return await withRunningApp(async (url) => {
      const api = await request.newContext({ baseURL: url });
      await api.post('/api/trpc/auth.signInDemo', { data: { role: 'admin' } });
      const { cookies } = await api.storageState();
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
      const empty: Visit = { name: 'an empty page', url: `http://127.0.0.1:${about.port}` };
      const toVisit = (path: string): Visit => ({ name: `\`${path}\``, url: url + path });
      const visits = [empty, ...['/', '/merchants', '/lab'].map(toVisit), { ...toVisit('/ops'), cookie }];
      // A server that has just started still compiles its code, on the cores that the browser needs.
      for (const visit of visits) await auditPage(visit);
      // All pages in each round, because the speed of a machine changes within minutes.
      const audited = await measureInRounds(visits, {
        rounds: ROUNDS,
        measure: (visit) => auditPage(visit),
        note: console.log,
      });
      return summarize(audited, audited.get(empty) ?? []);
    });
  } finally {
    await stop();
  }
});

/** Runs Lighthouse once with its defaults: a simulated mid-range phone on a simulated slow 4G connection. */
async function auditPage({ url, cookie, ...visit }: Visit, attempts = 3): Promise<Report> {
  const { code, output } = await runCommand(
    'npx',
    [
      ...['--yes', LIGHTHOUSE, url, '--quiet', '--output=json', `--output-path=${REPORT_FILE}`],
      ...[`--chrome-flags=${['--headless=new', ...chromiumArgs].join(' ')}`, '--no-enable-error-reporting'],
      // A page of a signed-in user is not for robots.
      ...(cookie ? [`--extra-headers=${JSON.stringify({ cookie })}`, '--skip-audits=is-crawlable'] : []),
    ],
    { env: { CHROME_PATH: findChromium() } },
  );
  if (code === 0) return JSON.parse(await readFile(REPORT_FILE, 'utf8'));
  if (attempts > 1 && output.includes(LOST_RECORDING))
    return auditPage({ url, cookie, ...visit }, attempts - 1);
  throw new StepError(`Lighthouse failed on ${url}:\n${tail(output)}`);
}

/** Returns the table of the medians, and a sentence for each number outside of its bounds. */
function summarize(audited: Map<Visit, Report[]>, emptyReports: readonly Report[]) {
  const scoreOf = (reports: readonly Report[], category: string) =>
    median(reports.map((report) => report.categories[category]?.score ?? 0));
  const lowest = scoreOf(emptyReports, 'performance') - MAX_SCORE_BELOW_EMPTY;
  const minScores = { performance: Number(lowest.toFixed(2)), ...MIN_SCORES };
  const problems: string[] = [];
  const rows = [...audited].map(([{ name }, reports]) => {
    const scores = Object.entries(minScores).map(([category, min]) => {
      const score = scoreOf(reports, category);
      if (score < min && reports !== emptyReports)
        problems.push(`${name}: ${category} is ${score}, below ${min}. The last report is ${REPORT_FILE}.`);
      return score.toFixed(2);
    });
    const numbers = AUDITS.map(({ audit, max }) => {
      const number = median(reports.map((report) => report.audits[audit]?.numericValue ?? Number.NaN));
      if (!(number <= max)) problems.push(`${name}: ${audit} is ${number}, above ${max}.`);
      return audit.endsWith('shift') ? number.toFixed(3) : `${Math.round(number)} ms`;
    });
    return [name, ...scores, ...numbers];
  });
  const head = ['page', ...Object.keys(minScores), ...AUDITS.map(({ audit }) => audit.replaceAll('-', ' '))];
  return { text: `${LIGHTHOUSE}, ${describeMachine('serve the page')}.\n\n${table(head, rows)}`, problems };
}
