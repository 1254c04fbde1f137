/**
 * `npm run icons`: draws the raster icons and the social picture from app/_shell/icons/icon.svg, the tokens and the pictures.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright';
import { writeStill } from './lib/pictures/encode.mjs';
import { drawSocialPicture } from './lib/pictures/social-picture.mjs';
import { toIco } from './lib/pictures/to-ico.mjs';
import { runScript } from './lib/script.mjs';
import { chromiumArgs, findChromium } from './lib/tools.mjs';

await runScript(async (steps) => {
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
  try {
    const page = await browser.newPage();
    const icon = await readFile('app/_shell/icons/icon.svg', 'utf8');
    /** @param {{ svg: string, size: number }} drawing */
    async function draw({ svg, size }) {
      await page.setViewportSize({ width: size, height: size });
      await page.setContent(
        `<style>body { margin: 0 } svg { display: block; width: ${size}px }</style>${svg}`,
      );
      return page.screenshot({ omitBackground: true });
    }
    await steps.run('icons', async () => {
      const pngs = [];
      for (const size of [16, 32, 48]) pngs.push({ size, png: await draw({ svg: icon, size }) });
      await writeFile('app/favicon.ico', toIco(pngs));
      // iOS rounds the corners.
      const square = await draw({ svg: icon.replace(' rx="8"', ''), size: 180 });
      await writeStill(square, { file: 'app/_shell/icons/apple-icon.png', maxBytes: 10_000 });
    });
    await steps.run('social picture', async () => {
      await writeStill(await drawSocialPicture(page, icon), {
        file: 'app/opengraph-image.png',
        maxBytes: 100_000,
      });
    });
  } finally {
    await browser.close();
  }
});
