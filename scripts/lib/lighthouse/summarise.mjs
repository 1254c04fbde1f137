import { median } from '../benchmarks/median.mjs';

/** The minimum scores, from 0 to 1. */
export const MIN_SCORES = /** @type {const} */ ({
  performance: 0.98,
  accessibility: 1,
  'best-practices': 1,
  seo: 1,
});

/** The maximum Total Blocking Time of a page, as a multiple of that of an empty page. */
export const MAX_BLOCKED_RATIO = 1.5;

/** @typedef {keyof typeof MIN_SCORES} Category */

/**
 * The summary of the runs of one page: the median of each number.
 *
 * @typedef {object} PageSummary
 * @property {string} path
 * @property {number} runs
 * @property {Record<Category, number>} scores
 * @property {number} firstPaintMs     First Contentful Paint.
 * @property {number} largestPaintMs   Largest Contentful Paint.
 * @property {number} totalBlockedMs   Total Blocking Time.
 * @property {number} totalBlockedRatio  Total Blocking Time ÷ that of the empty page in the same round.
 * @property {number} blockedMs        Blocking time by processor time.
 * @property {number} blockedRatio     Blocking time by processor time ÷ that of the empty page in the same round.
 * @property {number} shift            Cumulative Layout Shift, without a unit.
 */

/**
 * @param {string} path
 * @param {import('./audit-page.mjs').Report[]} reports  One of each round.
 * @param {import('./audit-page.mjs').Report[]} emptyReports  Those of the empty page in the same rounds.
 * @returns {PageSummary}
 */
export function summarise(path, reports, emptyReports) {
  /** @param {Category} category */
  const score = (category) => median(reports.map((report) => report.categories[category]?.score ?? 0));
  /** @param {string} audit */
  const number = (audit) => median(reports.map((report) => numberOf(report, audit)));
  /** @param {(report: import('./audit-page.mjs').Report | undefined) => number} numberOf */
  const ratio = (numberOf) =>
    median(reports.map((report, round) => numberOf(report) / numberOf(emptyReports[round])));
  return {
    path,
    runs: reports.length,
    scores: {
      performance: score('performance'),
      accessibility: score('accessibility'),
      'best-practices': score('best-practices'),
      seo: score('seo'),
    },
    firstPaintMs: number('first-contentful-paint'),
    largestPaintMs: number('largest-contentful-paint'),
    totalBlockedMs: number(TOTAL_BLOCKED),
    totalBlockedRatio: ratio((report) => numberOf(report, TOTAL_BLOCKED)),
    blockedMs: median(reports.map(({ blockedMs }) => blockedMs)),
    blockedRatio: ratio((report) => report?.blockedMs ?? Number.NaN),
    shift: number('cumulative-layout-shift'),
  };
}

const TOTAL_BLOCKED = 'total-blocking-time';

/**
 * @param {import('./audit-page.mjs').Report | undefined} report
 * @param {string} audit
 */
function numberOf(report, audit) {
  return report?.audits[audit]?.numericValue ?? Number.NaN;
}

/**
 * Finds what is below its minimum. The score for performance counts only if an empty page is perfect on this machine.
 *
 * @param {PageSummary} summary
 * @param {{ reports: import('./audit-page.mjs').Report[], empty: PageSummary }} options
 *   `empty`: an empty page in the same run.
 * @returns {string[]} One sentence each: a score below its minimum with the failed audits, a longer blocking time.
 */
export function findShortfalls({ path, scores, totalBlockedRatio }, { reports, empty }) {
  const slow =
    totalBlockedRatio > MAX_BLOCKED_RATIO
      ? [
          `${path}: blocked ${totalBlockedRatio.toFixed(2)} times as long as the empty page, ${MAX_BLOCKED_RATIO} is allowed.`,
        ]
      : [];
  return [...slow, ...findLowScores({ path, scores }, { reports, isFast: empty.scores.performance === 1 })];
}

/**
 * @param {Pick<PageSummary, 'path' | 'scores'>} summary
 * @param {{ reports: import('./audit-page.mjs').Report[], isFast: boolean }} options
 */
function findLowScores({ path, scores }, { reports, isFast }) {
  return Object.entries(MIN_SCORES).flatMap(([category, minScore]) => {
    const score = scores[/** @type {Category} */ (category)];
    if (score >= minScore || (category === 'performance' && !isFast)) return [];
    const causes = new Set(reports.flatMap((report) => listLostAudits(report, category)));
    return [`${path}: ${category} is ${score}, below the minimum of ${minScore}. ${[...causes].join(', ')}`];
  });
}

/**
 * @param {import('./audit-page.mjs').Report} report
 * @param {string} category
 */
function listLostAudits(report, category) {
  const audits = report.categories[category]?.auditRefs ?? [];
  return audits.flatMap(({ id, weight }) => {
    const score = report.audits[id]?.score ?? 1;
    return weight > 0 && score < 0.9 ? [id] : [];
  });
}
