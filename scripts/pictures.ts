/**
 * `npm run pictures`: takes the picture and the clip of the README from the built app. A crowd comes, everyone's window
 * fills, and a visitor who taps too fast is refused and later admitted.
 */
import { expect, type Page } from '@playwright/test';
import sharp from 'sharp';
import { runScript } from './lib/script.mjs';
import { prepareApp, withNewPage, withRunningApp } from './lib/with-running-app';
import { writePicture, writeStill } from './lib/write-picture';

/** The time of a frame: short enough for visible motion, long enough for a small file. */
const FRAME_MS = 160;
const LAST_FRAME_MS = 2_000;

await runScript(async (steps) => {
  await prepareApp(steps);
  await steps.run('picture', () =>
    onFreshPage({ width: 1_440, height: 960 }, async (page) => {
      await sendCrowd(page);
      await grabTooOften(page);
      await page
        .getByRole('region', { name: 'Grabbing' })
        .getByText(/^\d\d refused$/)
        .waitFor();
      await writeStill(await page.screenshot(), { file: 'docs/floodgate.png', maxBytes: 200_000 });
    }),
  );
  await steps.run('clip', () =>
    onFreshPage({ width: 1_180, height: 960 }, async (page) => {
      const { pngs, delay } = await record(page, async () => {
        await sendCrowd(page);
        await grabTooOften(page);
        await page.getByRole('button', { name: /^Grab/ }).first().waitFor();
      });
      const clip = await sharp(pngs, { join: { animated: true } })
        .webp({ quality: 75, effort: 4, delay, loop: 0 })
        .toBuffer();
      await writePicture(clip, { file: 'docs/floodgate.webp', maxBytes: 1_500_000 });
    }),
  );
});

/** Opens the sale as a signed-in demo shopper, on fresh databases: each picture starts with the same stock. */
function onFreshPage(
  viewport: { width: number; height: number },
  use: (page: Page) => Promise<void>,
): Promise<void> {
  return withRunningApp((baseURL) =>
    withNewPage({ baseURL, viewport, locale: 'en-GB', colorScheme: 'light' }, async (page) => {
      await page.goto('/sign-in?lang=en');
      await page.getByRole('button', { name: 'Sign in as Ada' }).click();
      await everyone(page).waitFor();
      await use(page);
    }),
  );
}

function everyone(page: Page) {
  return page.getByRole('region', { name: 'Grabbing' }).getByRole('meter', { name: 'Everyone’s tries' });
}

/** Sends a crowd slightly larger than the limit, spread over the whole window, and waits until half of it is admitted. */
async function sendCrowd(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send a crowd' }).click();
  await page
    .getByRole('combobox', { name: 'Coupon' })
    .selectOption({ label: 'Bean of the week, 250 g, freshly roasted' });
  await page.getByRole('radio', { name: '150' }).check();
  await page.getByRole('radio', { name: 'over 8 s' }).check();
  await page.getByRole('button', { name: /^Send \d+ shoppers$/ }).click();
  await page.keyboard.press('Escape');
  // The button, its result and the meters next to it share one view.
  const gate = page.getByRole('region', { name: 'Featured coupon' });
  await gate.evaluate((element) => element.scrollIntoView({ block: 'end' }));
  await expect(everyone(page)).toHaveAttribute('aria-valuenow', /^([5-9]\d|\d{3})$/, { timeout: 30_000 });
}

/** Clicks after calls for a coupon that is not on sale have filled the visitor's own window. */
async function grabTooOften(page: Page): Promise<void> {
  const { result } = await (await page.request.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; kind: string; state: string }[] = result.data.coupons;
  const closed = coupons.find(({ kind, state }) => kind === 'seckill' && state !== 'live');
  for (let call = 0; call < 5; call += 1)
    await page.request.post('/api/trpc/coupon.seckill', { data: { couponId: closed?.id } });
  await page.getByRole('region', { name: 'Featured coupon' }).getByRole('button').first().click();
  await page.getByText('Too fast: 5 tries per 10 s').waitFor();
}

/** Takes screenshots while an action runs, each with the time until the next, so that the clip plays at the page's speed. */
async function record(page: Page, action: () => Promise<void>): Promise<{ pngs: Buffer[]; delay: number[] }> {
  const pngs: Buffer[] = [];
  const times: number[] = [];
  let isOver = false;
  const ended = action().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const at = performance.now();
    times.push(at);
    pngs.push(await page.screenshot());
    await page.waitForTimeout(Math.max(0, FRAME_MS - (performance.now() - at)));
  }
  await ended;
  return { pngs, delay: times.map((at, index) => Math.round((times[index + 1] ?? at + LAST_FRAME_MS) - at)) };
}
