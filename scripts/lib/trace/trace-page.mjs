import { chromium } from 'playwright';
import { StepError } from '../step-error.mjs';
import { chromiumArgs, findChromium } from '../tools/find-chromium.mjs';
import { flood } from './flood-feed.mjs';
import { measureMainThread } from './measure-main-thread.mjs';

/**
 * @typedef {object} Scene
 * @property {string} name
 * @property {{ width: number, height: number }} viewport
 * @property {1 | 4} slowdown  The CPU throttling factor.
 */

/** @typedef {import('./measure-main-thread.mjs').MainThread & { chromium: string }} PageTrace  `chromium` is its version. */

export const RECORDED_MS = 10_000;
/** The pause until the one-time work of a page is over: fonts, later scripts, first frames. */
const SETTLE_MS = 3_000;

/**
 * Opens the sale in a new browser with everyone's window visible, and records the main thread.
 *
 * @param {string} url
 * @param {Scene} scene
 * @returns {Promise<PageTrace>}
 */
export async function tracePage(url, { viewport, slowdown }) {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: chromiumArgs,
  });
  try {
    const context = await browser.newContext({ viewport, deviceScaleFactor: 2, locale: 'en-GB' });
    const page = await context.newPage();
    await page.goto(url);
    const everyone = page
      .getByRole('region', { name: 'Grabbing' })
      .getByRole('meter', { name: 'Everyone’s pace' });
    await everyone.scrollIntoViewIfNeeded();
    await page.waitForTimeout(SETTLE_MS);
    await expectFlood(everyone);

    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
    await page.waitForTimeout(RECORDED_MS);
    const recording = await browser.stopTracing();
    await expectFlood(everyone);
    return {
      ...measureMainThread(JSON.parse(recording.toString()).traceEvents),
      chromium: browser.version(),
    };
  } finally {
    await browser.close();
  }
}

/**
 * Throws if the page does not show the flood, because it would be measured as idle.
 *
 * @param {import('playwright').Locator} everyone
 */
async function expectFlood(everyone) {
  const used = Number(await everyone.getAttribute('aria-valuenow'));
  if (used < flood.limit * 0.9) throw new StepError(`The page shows ${used} hits of ${flood.limit}.`);
}
