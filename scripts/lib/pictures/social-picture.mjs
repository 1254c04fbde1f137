import { readFile } from 'node:fs/promises';

const WIDTH = 1_200;
const HEIGHT = 630;
const BARS = 40;

/**
 * Draws the picture that other sites show for a link: the promise, a ticket, and everyone's gauge, full.
 *
 * @param {import('playwright').Page} page
 * @param {string} icon  The SVG of the logo.
 * @returns {Promise<Buffer>} A PNG.
 */
export async function drawSocialPicture(page, icon) {
  const tokens = await readFile('app/globals.css', 'utf8');
  const font = await readFile('app/_fonts/bricolage-grotesque-700.woff2', 'base64');
  const pictures = await readFile('app/_pictures/coupons.svg', 'utf8');
  const [, ticket] = /<symbol id="hotpot-50"[^>]*>(.*?)<\/symbol>/s.exec(pictures) ?? [];
  await page.setViewportSize({ width: WIDTH, height: HEIGHT });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setContent(`<style>${tokens}
    @font-face { font-family: face; src: url(data:font/woff2;base64,${font}); }
    body { --face: face; overflow: hidden; width: ${WIDTH}px; height: ${HEIGHT}px; font-family: face; font-weight: 700; }
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
    <div class="bars">${Array.from({ length: BARS }, toBar).join('')}</div>
  </div>`);
  await page.evaluate(() => document.fonts.ready);
  return page.screenshot();
}

/**
 * A bar of the gauge. The heights only seem irregular, so that each run draws the same picture.
 *
 * @param {unknown} _
 * @param {number} index
 */
function toBar(_, index) {
  return `<i style="height:${45 + ((index * 37) % 11) * 5}%"></i>`;
}
