import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runCommand, tail } from '../processes.mjs';
import { StepError } from '../steps.mjs';
import { chromiumArgs, findChromium } from '../tools.mjs';
import { measureBlocked } from '../trace/measure-main-thread.mjs';

/**
 * The parts of Lighthouse's result that are used here.
 *
 * @typedef {object} Report
 * @property {string} lighthouseVersion
 * @property {{ hostUserAgent: string, benchmarkIndex: number }} environment
 * @property {Record<string, { score: number | null, auditRefs: { id: string, weight: number }[] }>} categories
 * @property {Record<string, { title: string, score: number | null, numericValue?: number, displayValue?: string }>} audits
 * @property {number} blockedMs  The blocking time by the processor time of the main thread. Not a part of Lighthouse's result.
 */

/** Installed on first use: with what it needs it is a quarter of all packages, and no test uses it. */
const LIGHTHOUSE = 'lighthouse@12.8.2';

/** Lighthouse's phone has a processor that is slower by this factor. */
const CPU_SLOWDOWN = 4;

/** The message of Lighthouse when the browser lost the recording, which is no fault of the page. */
const LOST_RECORDING = 'Please run Lighthouse again';

/**
 * Runs Lighthouse once with its defaults: a simulated mid-range phone on a simulated slow 4G connection. Each run is a new
 * process, so that it does not warm up the next. A lost recording is repeated.
 *
 * @param {string} url
 * @param {object} [options]
 * @param {string | undefined} [options.cookie]  The session cookie of a signed-in user. Such a page is not for robots,
 *   so the crawling audit is skipped.
 * @param {number} [options.attempts]
 * @returns {Promise<Report>}
 */
export function auditPage(url, { cookie, attempts = 3 } = {}) {
  const flags = ['--headless=new', ...chromiumArgs];
  return withReportFile(async (file) => {
    const { code, output } = await runCommand(
      'npx',
      [
        ...['--yes', LIGHTHOUSE, url],
        '--quiet',
        '--output=json',
        `--output-path=${file}`,
        '--save-assets',
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
    const trace = path.join(path.dirname(file), `${path.parse(file).name}-0.trace.json`);
    const { traceEvents } = JSON.parse(await readFile(trace, 'utf8'));
    return {
      ...JSON.parse(await readFile(file, 'utf8')),
      blockedMs: measureBlocked(traceEvents, { slowdown: CPU_SLOWDOWN }),
    };
  });
}

/**
 * Creates a temporary file for the JSON report of a test runner, and deletes it after `use`.
 *
 * @template T
 * @param {(file: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function withReportFile(use) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-report-'));
  try {
    return await use(path.join(folder, 'report.json'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
