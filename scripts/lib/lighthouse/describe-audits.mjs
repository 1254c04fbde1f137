import { describeMachine } from '../benchmarks/describe-machine.mjs';
import { MAX_BLOCKED_RATIO, MIN_SCORES } from './summarise.mjs';

/**
 * Formats the section of docs/benchmarks.md: first the method, then the numbers.
 *
 * @param {import('./summarise.mjs').PageSummary[]} pages
 * @param {object} options
 * @param {import('./summarise.mjs').PageSummary} options.empty  An empty page in the same run.
 * @param {import('./audit-page.mjs').Report} options.report  The report of any run, for the versions.
 * @returns {string}
 */
export function describeAudits(pages, { empty, report }) {
  const chromium = /Chrome\/(\d+)/.exec(report.environment.hostUserAgent)?.[1] ?? 'unknown';
  const runs = pages[0]?.runs ?? 0;
  return `## Lighthouse

\`npm run lighthouse\` opens the production build in demo mode on fresh databases. After twenty requests for each page, each of
${runs} rounds audits an empty page of the same Next.js and then these pages, each time in a new headless Chromium, with
Lighthouse's mobile preset: a mid-range phone (CPU four times slower) on slow 4G (1.6 Mbit/s, 150 ms), both simulated. Each
number is the median of the rounds, and so is each ratio of a page to the empty page of the same round.

Lighthouse's blocking time counts the part above 50 ms of each task of the main thread. Here the browser, the server and both
databases share the processor and interrupt these tasks, which makes a page with data longer and the empty page not. So the
blocking time is also computed from the processor time of each task, which shows the work of the page itself. The command fails
if a page blocks the main thread longer than ${MAX_BLOCKED_RATIO} times the empty page by Lighthouse's time, below ${scoreOf(MIN_SCORES.performance)} for performance
if the empty page scores 1.00, and below ${scoreOf(MIN_SCORES.accessibility)} for the rest.

Lighthouse ${report.lighthouseVersion}, Chromium ${chromium}, ${describeMachine()};
Lighthouse's index of the machine's speed: ${Math.round(report.environment.benchmarkIndex)}.

| page | performance | accessibility | best practices | SEO | first paint | largest paint | blocked | ÷ empty page | by processor time | ÷ empty page | layout shift |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${[empty, ...pages].map(row).join('\n')}

Performance depends on the load of the machine, by ten points or more if it is busy, so measure on an idle one. The other
three scores do not change.`;
}

/**
 * @param {import('./summarise.mjs').PageSummary} page
 */
function row(page) {
  const { path, scores, firstPaintMs, largestPaintMs, shift } = page;
  const cells = [
    path.startsWith('/') ? `\`${path}\`` : path,
    ...[scores.performance, scores.accessibility, scores['best-practices'], scores.seo].map(scoreOf),
    inSeconds(firstPaintMs),
    inSeconds(largestPaintMs),
    `${Math.round(page.totalBlockedMs)} ms`,
    page.totalBlockedRatio.toFixed(2),
    `${Math.round(page.blockedMs)} ms`,
    page.blockedRatio.toFixed(2),
    shift.toFixed(3),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** @param {number} score */
function scoreOf(score) {
  return score.toFixed(2);
}

/** @param {number} ms */
function inSeconds(ms) {
  return `${(ms / 1_000).toFixed(1)} s`;
}
