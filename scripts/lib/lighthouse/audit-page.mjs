import { readFile } from 'node:fs/promises';
import { withReportFile } from '../json-report.mjs';
import { runCommand, tail } from '../run-command.mjs';
import { StepError } from '../step-error.mjs';
import { findChromium } from '../tools/find-chromium.mjs';

/**
 * The parts of Lighthouse's result that are used here.
 *
 * @typedef {object} Report
 * @property {string} lighthouseVersion
 * @property {{ hostUserAgent: string, benchmarkIndex: number }} environment
 * @property {Record<string, { score: number | null, auditRefs: { id: string, weight: number }[] }>} categories
 * @property {Record<string, { title: string, score: number | null, numericValue?: number, displayValue?: string }>} audits
 */

/** Installed on first use: with what it needs it is a quarter of all packages, and no test uses it. */
const LIGHTHOUSE = 'lighthouse@12.8.2';

/** What Lighthouse says where the browser lost the recording; it tells nothing of the page. */
const LOST_RECORDING = 'Please run Lighthouse again';

/**
 * Runs Lighthouse once, with its own defaults: a mid-range phone on a slow 4G connection, both simulated. In a process
 * of its own, so that no run warms up the next. A recording that the browser lost is made again.
 *
 * @param {string} url
 * @param {object} [options]
 * @param {string | undefined} [options.cookie]  Of who is signed in; a page that asks for that is not for robots, who are
 *   not asked about it then.
 * @param {number} [options.attempts]
 * @returns {Promise<Report>}
 */
export function auditPage(url, { cookie, attempts = 3 } = {}) {
  // Chromium's sandbox refuses to run as root.
  const flags = ['--headless=new', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return withReportFile(async (file) => {
    const { code, output } = await runCommand(
      'npx',
      [
        ...['--yes', LIGHTHOUSE, url],
        '--quiet',
        '--output=json',
        `--output-path=${file}`,
        `--chrome-flags=${flags.join(' ')}`,
        '--no-enable-error-reporting',
        ...(cookie === undefined
          ? []
          : [`--extra-headers=${JSON.stringify({ cookie })}`, '--skip-audits=is-crawlable']),
      ],
      { env: { CHROME_PATH: findChromium() } },
    );
    if (code !== 0 && attempts > 1 && output.includes(LOST_RECORDING)) {
      return auditPage(url, { cookie, attempts: attempts - 1 });
    }
    if (code !== 0) throw new StepError(`Lighthouse failed on ${url}:\n${tail(output)}`);
    return JSON.parse(await readFile(file, 'utf8'));
  });
}
