/**
 * `npm run pictures`: takes the picture and the clip of the README from the built app under a crowd.
 */
import { chromium } from 'playwright';
import { buildApp } from './lib/build-app.mjs';
import { installPackages } from './lib/packages.mjs';
import { createCrowdScene } from './lib/pictures/crowd-scene.mjs';
import { writeClip, writeStill } from './lib/pictures/encode.mjs';
import { record } from './lib/pictures/record.mjs';
import { runScript } from './lib/script.mjs';
import { chromiumArgs, findChromium } from './lib/tools.mjs';
import { withRunningApp } from './lib/with-running-app.mjs';

const still = { file: 'docs/floodgate.png', maxBytes: 200_000 };
const clip = { file: 'docs/floodgate.webp', maxBytes: 1_500_000 };

await runScript(async (steps) => {
  await steps.run('packages', installPackages);
  await steps.run('build', buildApp);
  await steps.run('picture', () => onFreshPage({ width: 1_440, height: 960 }, takeStill));
  await steps.run('clip', () => onFreshPage({ width: 1_180, height: 960 }, takeClip));
});

/** @param {import('playwright').Page} page */
async function takeStill(page) {
  const scene = createCrowdScene(page);
  await scene.enter();
  await scene.sendCrowd();
  await scene.waitUntilTaken(50);
  await scene.grabTooOften();
  await scene.waitUntilCrowdIsRefused();
  await writeStill(await page.screenshot(), still);
}

/** @param {import('playwright').Page} page */
async function takeClip(page) {
  const scene = createCrowdScene(page);
  await scene.enter();
  const frames = await record(page, async () => {
    await scene.sendCrowd();
    await scene.waitUntilTaken(50);
    await scene.grabTooOften();
    await scene.waitUntilOpen();
  });
  await writeClip(frames, clip);
}

/**
 * Opens the app on fresh databases, so that each picture starts with the same stock and empty windows.
 *
 * @param {{ width: number, height: number }} viewport
 * @param {(page: import('playwright').Page) => Promise<void>} use
 */
function onFreshPage(viewport, use) {
  return withRunningApp(async (url) => {
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: chromiumArgs,
    });
    try {
      const context = await browser.newContext({
        baseURL: url,
        viewport,
        locale: 'en-GB',
        colorScheme: 'light',
      });
      await use(await context.newPage());
    } finally {
      await browser.close();
    }
  });
}
