/**
 * `npm run icons`: draws the raster icons and the social picture from app/_shell/icons/icon.svg, the tokens and the pictures.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { runScript } from './lib/script.mjs';
import { withNewPage } from './lib/with-running-app';
import { writeStill } from './lib/write-picture';

await runScript((steps) =>
  withNewPage({}, async (page) => {
    const icon = await readFile('app/_shell/icons/icon.svg', 'utf8');
    await steps.run('icons', async () => {
      const pngs = [];
      for (const size of [16, 32, 48]) pngs.push({ size, png: await drawIcon(page, icon, size) });
      await writeFile('app/favicon.ico', toIco(pngs));
      // iOS rounds the corners.
      const square = await drawIcon(page, icon.replace(' rx="8"', ''), 180);
      await writeStill(square, { file: 'app/_shell/icons/apple-icon.png', maxBytes: 10_000 });
    });
    await steps.run('social picture', async () => {
      const picture = await drawSocialPicture(page, icon);
      await writeStill(picture, { file: 'app/opengraph-image.png', maxBytes: 100_000 });
    });
  }),
);

async function drawIcon(page: Page, svg: string, size: number): Promise<Buffer> {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body { margin: 0 } svg { display: block; width: ${size}px }</style>${svg}`);
  return page.screenshot({ omitBackground: true });
}

/** Packs PNG images of at most 255 × 255 pixels into an icon file (ICO): a header, an entry for each image, the images. */
function toIco(images: readonly { size: number; png: Buffer }[]): Buffer {
  const [headerBytes, entryBytes] = [6, 16];
  const header = Buffer.alloc(headerBytes + entryBytes * images.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(images.length, 4);
  let offset = header.length;
  for (const [index, { size, png }] of images.entries()) {
    const entry = headerBytes + entryBytes * index;
    header.writeUInt8(size, entry);
    header.writeUInt8(size, entry + 1);
    // One colour plane of 32 bits per pixel.
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(32, entry + 6);
    header.writeUInt32LE(png.length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += png.length;
  }
  return Buffer.concat([header, ...images.map(({ png }) => png)]);
}

/** Draws the picture that other sites show for a link: the promise, a ticket, and everyone's gauge, full. */
async function drawSocialPicture(page: Page, icon: string): Promise<Buffer> {
  const tokens = await readFile('app/globals.css', 'utf8');
  const font = await readFile('app/_fonts/bricolage-grotesque-700.woff2', 'base64');
  const pictures = await readFile('app/_pictures/coupons.svg', 'utf8');
  const [, ticket] = /<symbol id="hotpot-50"[^>]*>(.*?)<\/symbol>/s.exec(pictures) ?? [];
  // The heights only seem irregular, so that each run draws the same picture.
  const bars = Array.from(
    { length: 40 },
    (_, index) => `<i style="height:${45 + ((index * 37) % 11) * 5}%"></i>`,
  );
  const size = { width: 1_200, height: 630 };
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setContent(`<style>${tokens}
    @font-face { font-family: face; src: url(data:font/woff2;base64,${font}); }
    body { --face: face; overflow: hidden; width: ${size.width}px; height: ${size.height}px; font-family: face; font-weight: 700; }
    .brand { position: absolute; left: 72px; top: 64px; display: flex; align-items: center; gap: 20px; font-size: 40px; }
    .brand svg { width: 64px; }
    h1 { position: absolute; left: 72px; top: 168px; width: 600px; font-size: 76px; line-height: 1.06; }
    .ticket { position: absolute; left: 716px; top: 64px; width: 412px; height: 352px; border-radius: 28px;
      background: var(--surface); box-shadow: var(--shadow-high); rotate: 3deg; overflow: clip; }
    .ticket svg { display: block; width: 100%; height: 258px; border-bottom: 4px dashed var(--line); }
    .ticket p { padding: 16px 28px; font-size: 44px; }
    .ticket span { margin-left: 12px; color: var(--ink-soft); font-size: 24px; }
    .gauge { position: absolute; inset: auto 72px 64px; }
    .gauge p { display: flex; justify-content: space-between; align-items: end; margin-bottom: 12px; font-size: 26px; }
    .gauge strong { font-size: 40px; line-height: 1; }
    .bars { display: flex; align-items: end; gap: 6px; height: 76px; border-right: 10px solid var(--wait);
      border-radius: 14px; padding: 12px; background: var(--accent-soft); }
    .bars i { flex: 1; border-radius: 4px; background: var(--accent); }
  </style>
  <div class="brand">${icon}Floodgate</div>
  <h1>A flash sale that never lets in one too many.</h1>
  <div class="ticket">
    <svg viewBox="0 0 160 100" preserveAspectRatio="xMidYMid slice">${ticket}</svg>
    <p>€9.90<span>instead of €50</span></p>
  </div>
  <div class="gauge">
    <p>Everyone, in the last 10 s <strong>100 / 100</strong></p>
    <div class="bars">${bars.join('')}</div>
  </div>`);
  await page.evaluate(() => document.fonts.ready);
  return page.screenshot();
}
