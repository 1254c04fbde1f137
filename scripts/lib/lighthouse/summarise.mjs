import { median } from '../benchmarks/median.mjs';

/** The minimum scores, from 0 to 1. */
export const MIN_SCORES = /** @type {const} */ ({
  performance: 0.95,
  accessibility: 1,
  'best-practices': 1,
  seo: 1,
});

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
 * @property {number} blockedMs        Total Blocking Time.
 * @property {number} shift            Cumulative Layout Shift, without a unit.
 */

/**
 * @param {string} path
 * @param {import('./audit-page.mjs').Report[]} reports
 * @returns {PageSummary}
 */
export function summarise(path, reports) {
  /** @param {Category} category */
  const score = (category) => median(reports.map((report) => report.categories[category]?.score ?? 0));
  /** @param {string} audit */
  const number = (audit) => median(reports.map((report) => report.audits[audit]?.numericValue ?? Number.NaN));
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
    blockedMs: number('total-blocking-time'),
    shift: number('cumulative-layout-shift'),
  };
}

/**
 * @param {PageSummary} summary
 * @param {import('./audit-page.mjs').Report[]} reports
 * @returns {string[]} One sentence for each score below its minimum, with the failed audits.
 */
export function findShortfalls({ path, scores }, reports) {
  return Object.entries(MIN_SCORES).flatMap(([category, minScore]) => {
    const score = scores[/** @type {Category} */ (category)];
    if (score >= minScore) return [];
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
