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
const MIN_SCORES = { performance: 0.98, accessibility: 1, 'best-practices': 1, seo: 1 };
/** The maximum Total Blocking Time of a page, as a multiple of that of an empty page. */
const MAX_BLOCKED_RATIO = 1.5;
const PAINTS = ['first-contentful-paint', 'largest-contentful-paint'];
const BLOCKED = 'total-blocking-time';
const HEAD = ['first paint', 'largest paint', 'blocked', '÷ empty page', 'layout shift'];

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
      problem: 'The empty page was not built:',
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
        note: (text) => console.log(`  ${text}`),
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
  const scoreOf = (reports: readonly Report[], name: string) =>
    median(reports.map((report) => report.categories[name]?.score ?? 0));
  const numberOf = (report: Report | undefined, audit: string) =>
    report?.audits[audit]?.numericValue ?? Number.NaN;
  const problems: string[] = [];
  const rows = [...audited].map(([{ name }, reports]) => {
    const number = (audit: string) => median(reports.map((report) => numberOf(report, audit)));
    const blocked = median(
      reports.map((report, round) => numberOf(report, BLOCKED) / numberOf(emptyReports[round], BLOCKED)),
    );
    const scores = Object.entries(MIN_SCORES).map(([category, min]) => {
      const score = scoreOf(reports, category);
      // The score for performance counts only if an empty page is perfect on this machine.
      const counts = category !== 'performance' || scoreOf(emptyReports, category) === 1;
      if (counts && score < min && reports !== emptyReports)
        problems.push(`${name}: ${category} is ${score}, below ${min}. The last report is ${REPORT_FILE}.`);
      return score.toFixed(2);
    });
    if (blocked > MAX_BLOCKED_RATIO)
      problems.push(`${name}: blocked ${blocked.toFixed(2)} times as long as the empty page.`);
    const paints = PAINTS.map((audit) => `${(number(audit) / 1_000).toFixed(1)} s`);
    const shift = number('cumulative-layout-shift').toFixed(3);
    return [name, ...scores, ...paints, `${Math.round(number(BLOCKED))} ms`, blocked.toFixed(2), shift];
  });
  const text = `${LIGHTHOUSE}, ${describeMachine('serve the page')}.

${table(['page', ...Object.keys(MIN_SCORES), ...HEAD], rows)}`;
  return { text, problems };
}
