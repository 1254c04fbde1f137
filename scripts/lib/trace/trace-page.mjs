import { chromium } from 'playwright';
import { StepError } from '../steps.mjs';
import { chromiumArgs, findChromium } from '../tools.mjs';
import { flood } from './flood-feed.mjs';
import { measureFrameRate, measureMainThread } from './measure-main-thread.mjs';

/**
 * @typedef {object} Scene
 * @property {string} name
 * @property {{ width: number, height: number }} viewport
 * @property {1 | 4} slowdown  The CPU throttling factor.
 * @property {number} waiting  The tickets that wait behind the window.
 */

/**
 * @typedef {object} Drawn
 * @property {number} framesPerSecond  The frames that the compositor drew.
 * @property {string} chromium         Its version.
 */

/** @typedef {import('./measure-main-thread.mjs').MainThread & Drawn} PageTrace */

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
export function tracePage(url, { viewport, slowdown, waiting }) {
  return withNewPage(viewport, async ({ browser, page, devtools }) => {
    await page.goto(url);
    const everyone = page
      .getByRole('region', { name: 'Grabbing' })
      .getByRole('meter', { name: 'Everyone’s pace' });
    await everyone.scrollIntoViewIfNeeded();
    await page.waitForTimeout(SETTLE_MS);
    await expectFlood(everyone, waiting);

    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await browser.startTracing(page, {
      categories: [
        ...['toplevel', 'disabled-by-default-devtools.timeline'],
        'disabled-by-default-devtools.timeline.frame',
        'devtools.timeline.frame',
      ],
    });
    await page.waitForTimeout(RECORDED_MS);
    const recording = await browser.stopTracing();
    await expectFlood(everyone, waiting);
    const { traceEvents } = JSON.parse(recording.toString());
    return {
      ...measureMainThread(traceEvents),
      framesPerSecond: measureFrameRate(traceEvents),
      chromium: browser.version(),
    };
  });
}

/**
 * Opens the sale in a new browser with a slower processor, presses the first Grab, and returns the time from the press to
 * the next paint, in ms, as the Event Timing API reports it: rounded to 8 ms.
 *
 * @param {string} url
 * @param {Scene & { restMs: number }} scene  `restMs` is the time between the load event and the press.
 * @returns {Promise<number>}
 */
export function pressFirstGrab(url, { viewport, slowdown, restMs }) {
  return withNewPage(viewport, async ({ page, devtools }) => {
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    // The lower edge of the viewport is outside of a window of its size, and what is outside is never painted.
    const { windowId } = await devtools.send('Browser.getWindowForTarget');
    await devtools.send('Browser.setWindowBounds', {
      windowId,
      bounds: { width: viewport.width + 200, height: viewport.height + 400 },
    });
    await page.goto(url);
    const grab = page.getByRole('button', { name: /^Grab/ }).first();
    await grab.scrollIntoViewIfNeeded();
    await page.waitForTimeout(restMs);
    const observed = await page.evaluateHandle(() => {
      /** @type {number[]} */
      const durations = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (/** @type {PerformanceEventTiming} */ (entry).interactionId) durations.push(entry.duration);
      }).observe(/** @type {PerformanceObserverInit} */ ({ type: 'event', durationThreshold: 16 }));
      return durations;
    });
    await grab.click();
    await page
      .getByRole('link', { name: /^(Pay|In your wallet)/ })
      .first()
      .waitFor();
    const durations = await observed.jsonValue();
    if (durations.length === 0) throw new StepError('The press has no paint of at least 16 ms.');
    return Math.max(...durations);
  });
}

/**
 * @template T
 * @param {Scene['viewport']} viewport
 * @param {(opened: { browser: import('playwright').Browser, page: import('playwright').Page, devtools: import('playwright').CDPSession }) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function withNewPage(viewport, use) {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: chromiumArgs,
  });
  try {
    const context = await browser.newContext({ viewport, deviceScaleFactor: 2, locale: 'en-GB' });
    const page = await context.newPage();
    return await use({ browser, page, devtools: await context.newCDPSession(page) });
  } finally {
    await browser.close();
  }
}

/**
 * Throws if the page does not show the flood, because it would be measured as idle.
 *
 * @param {import('playwright').Locator} everyone
 * @param {number} waiting
 */
async function expectFlood(everyone, waiting) {
  const used = Number(await everyone.getAttribute('aria-valuenow'));
  if (used < flood.limit * 0.9) throw new StepError(`The page shows ${used} hits of ${flood.limit}.`);
  const spoken = (await everyone.getAttribute('aria-valuetext')) ?? '';
  if (waiting > 0 && !spoken.includes(`${waiting} in the queue`))
    throw new StepError(`The page does not show ${waiting} in the queue: ${spoken}`);
}
