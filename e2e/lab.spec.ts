import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect } from './fixtures';
import { answerTo, EARLIER, labPage, setLabLimit } from './lab-page';
import { test } from './own-floodgate';
import { expectNoViolations, tabTo } from './page-checks';
import { findLiveCoupon } from './sale-page';

/** These tests exceed the limit of ten experiments a minute. */
test.beforeEach(({ playwright, floodgate }) => setLabLimit({ playwright, url: floodgate.url }, 1_000));

test('at an edge the fixed window admits twice the limit, and the log never more than the limit', async ({
  page,
}) => {
  const lab = labPage(page);
  await test.step('the example is decided before the first run, and read lane by lane', async () => {
    const lanes = page.getByRole('region', { name: 'At most 10 per 10 s' });
    // A new server decides the example after its first page.
    await expect(async () => {
      await lab.open();
      await expect(lanes).toContainText('within limit', { timeout: 2_000 });
    }).toPass();
    await expect(lanes).toMatchAriaSnapshot(`
      - heading "At most 10 per 10 s" [level=2]
      - slider
      - list:
        - listitem:
          - heading "Sliding log" [level=3]
          - text: 10 / 10 within limit
          - paragraph: 10 admitted, 10 refused
          - paragraph: /^Last 10 s. 10 admitted 10\\.54\\ss. refused, retry in .+ s/
    `);
    await expect(page.getByText('Each network can run 1,000 experiments per minute.')).toBeVisible();
  });
  await lab.run();
  await expect(lab.lane('Fixed window')).toContainText('20 / 10 over limit');
  await expect(lab.lane('Sliding log')).toContainText('10 / 10 within limit');

  const row = page.getByRole('row', { name: /^Fixed window/ });
  await expect(row).toContainText('20 / 10 over limit');
  const leaky = page.getByRole('row', { name: /^Leaky bucket/ });
  await expect(leaky, 'the wait of a queued call').toContainText(/8\.\d\d\ss/);
  const frame = page.getByRole('region', { name: 'Results' }).getByRole('table').first().locator('xpath=..');
  for (const width of [1_280, 1_440]) {
    await page.setViewportSize({ width, height: 800 });
    await expect
      .poll(() => frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), `${width} px`)
      .toBe(0);
  }
  await page.getByText('What the columns mean').click();
  await expect(page.getByText('The most calls that the algorithm can admit in one window')).toBeVisible();
  await page.getByRole('button', { name: 'Admitted' }).click();
  await expect(page.getByRole('row').nth(1)).toContainText('Fixed window');
  await test.step('the HTTP responses and the keys in Redis', async () => {
    const responses = page.getByRole('region', { name: 'HTTP responses' });
    await responses.getByText('Sliding log').click();
    const refusal = responses.getByText(/^HTTP\/1.1 429 Too Many Requests[\s\S]*retry-after: /);
    await expect(refusal.filter({ visible: true })).toHaveCount(1);
    const keys = page.getByRole('region', { name: 'Keys in Redis' });
    await keys.getByText('Sliding log').click();
    await expect(keys.getByText(/^Packed: 10 hits at 9.40\ss/)).toBeVisible();
  });
  await expectNoViolations(page);
});

test('a changed number leaves the result in place, labelled as earlier, until the next run', async ({
  page,
}) => {
  const lab = labPage(page);
  await lab.open();
  await lab.run();
  await expect(lab.lane('Fixed window')).toContainText('20 / 10 over limit');
  await expect(lab.lane('Sliding log')).toContainText('10 / 10 within limit');
  const chart = page.getByRole('region', { name: 'Results' }).getByRole('slider');
  const picture = () => chart.innerHTML();
  const first = await picture();
  const lanes = page.getByRole('region', { name: /^At most 10 per 10/ });
  const earlier = page.getByText(EARLIER);
  const offset = () => lanes.evaluate((element) => element.getBoundingClientRect().top + window.scrollY);
  const top = await offset();
  await page.getByLabel('Limit (calls)').fill('12');
  await expect(earlier).toHaveCount(3);
  await expect(lab.lane('Fixed window')).toContainText('20 / 10 over limit');
  expect(await offset(), 'nothing moves').toBe(top);
  await page.getByLabel('Limit (calls)').fill('10');
  await expect(earlier, 'the settings of the result').toHaveCount(0);
  await page.getByLabel('Limit (calls)').fill('12');
  await lab.run();
  await expect(lab.lane('Fixed window')).toContainText('24 / 12 over limit');
  await expect(earlier).toHaveCount(0);
  await expect(chart).not.toBeInViewport();
  await expect.poll(picture, 'the chart out of view has the limit of its run').not.toBe(first);
  await expect(chart, 'for pictures of the whole page, and for paper').toContainText('limit 12');
});

test('an example of a tutorial fills the form, its claim is compared with the run, and stays as earlier when a number changes', async ({
  page,
}) => {
  await page.goto('/lab');
  await choose(page, 'Textbook examples');
  await page.getByRole('combobox', { name: 'Example' }).selectOption({ label: '200 calls in two seconds' });
  await expect(page.getByLabel('Limit (calls)')).toHaveValue('100');
  await expect(page).toHaveURL('/lab?traffic=preset&limit=100&window=60000&preset=two-seconds');

  const claim = page.getByRole('region', { name: 'The claim and the measurement' });
  await expect(claim).toContainText('Not run yet');
  await labPage(page).run();
  await expect(claim).toContainText('Fixed window: 200 calls in the fullest window. agrees');
  await expect(claim).toContainText(/Each decision took [\d.,]+ ms in the median and [\d.,]+ ms at most/);
  await expect(claim.getByRole('link', { name: 'See it run next to Floodgate' })).toHaveAttribute(
    'href',
    '/lab?section=mistakes&card=double-burst',
  );

  await page.getByLabel('Limit (calls)').fill('120');
  await expect(page.getByText('so its claim no longer applies')).toBeVisible();
  await expect(page.getByText(EARLIER)).toHaveCount(4);
  await expect(claim).toContainText('200 calls in the fullest window');
  await labPage(page).run();
  await expect(claim).toHaveCount(0);
});

test('more sub-windows let the counter admit what the log admits, and the URL carries their number', async ({
  page,
}) => {
  await page.goto('/lab?traffic=steady&limit=10&window=10000&load=150&windows=4&subwindows=1');
  const slider = page.getByRole('slider', { name: 'Sub-windows of the sliding counter' });
  await expect(slider).toHaveValue('1');
  await labPage(page).run();
  // The hits of the first window stay until the end of the second.
  await expect(page.getByText(/^Sliding counter with 1 sub-window of 10\.00\ss/)).toContainText(
    'It admitted 20 calls, the log 40',
  );
  await slider.press('End');
  await expect(page).toHaveURL(/subwindows=100/);
  await page.reload();
  await expect(slider).toHaveValue('100');
  await labPage(page).run();
  await expect(page.getByText(/^Sliding counter with 100 sub-windows of 100\sms/)).toContainText(
    'the log 40',
  );
});

test('a URL restores the whole scenario', async ({ page }) => {
  const lab = labPage(page);
  await lab.open();
  await page.getByRole('radio', { name: 'Random' }).check();
  await page.getByLabel('Limit (calls)').fill('25');
  await page.getByRole('combobox', { name: 'Window' }).selectOption('5000');
  await page.getByRole('spinbutton', { name: 'Seed' }).fill('42');
  const query = 'traffic=poisson&limit=25&window=5000&load=100&windows=3&seed=42';
  await expect(page).toHaveURL(`/lab?${query}`);

  await page.reload();
  await expect(page.getByRole('radio', { name: 'Random' })).toBeChecked();
  await expect(page.getByLabel('Limit (calls)')).toHaveValue('25');
  await expect(page.getByRole('combobox', { name: 'Window' })).toHaveValue('5000');
  await expect(page.getByRole('spinbutton', { name: 'Seed' })).toHaveValue('42');
  await expect(page.getByText(/^(\d+) of \1 calls$/), 'it opens with its result').toBeVisible();

  await page.getByRole('link', { name: 'Layers' }).click();
  await expect(page.getByRole('heading', { name: 'Layers', level: 2 })).toBeVisible();
  await page.getByRole('link', { name: 'Side by side' }).click();
  await expect(page.getByRole('spinbutton', { name: 'Seed' })).toHaveValue('42');
});

test('clicks become calls, and the URL carries them', async ({ page }) => {
  const lab = labPage(page);
  await lab.open('?traffic=taps&limit=2&window=60000');
  const pad = page.getByRole('button', { name: 'Click', exact: true });
  await expect(async () => {
    await pad.click();
    await expect(page.getByText(/^[1-9]\d* clicks?$/)).toBeVisible({ timeout: 300 });
  }).toPass();
  await page.getByRole('button', { name: 'Start over' }).click();
  for (let tap = 0; tap < 3; tap += 1) await pad.press('Enter');
  await expect(page.getByText('3 clicks')).toBeVisible();
  await expect(page).toHaveURL(/at=0(\.\w*){2}$/);
  await page.reload();
  // While a page streams, its text is also in a hidden part outside of main.
  await expect(page.getByRole('main').getByText('3 clicks')).toBeVisible();
  await lab.run();
  await expect(lab.lane('Sliding log')).toContainText('2 admitted, 1 refused');

  const csv = await download(page, 'Download decisions (CSV)');
  expect(csv.name).toBe('floodgate-taps.csv');
  // Three calls, five algorithms, a header, and the end of the last line.
  expect(csv.text.split('\r\n')).toHaveLength(3 * 5 + 2);
  const json = await download(page, 'Download everything (JSON)');
  expect(JSON.parse(json.text)).toMatchObject({ query: new URL(page.url()).search.slice(1) });
});

test('recent calls of the live sale become the calls of a scenario', async ({ page, request, floodgate }) => {
  const couponId = await findLiveCoupon(request, 'seckill');
  const crowd = await request.post(`${floodgate.url}/api/trpc/demo.crowd`, {
    data: { couponId, shoppers: 30, overMs: 0 },
  });
  expect(crowd.ok()).toBe(true);
  const lab = labPage(page);
  await lab.open('?traffic=live&limit=5&window=10000');
  await expect(async () => {
    await page.getByRole('button', { name: 'Load recent calls' }).click();
    await expect(page.getByText(/^30 calls within/)).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await lab.run();
  await expect(lab.lane('Sliding log')).toContainText('5 admitted, 25 refused');
});

test('a run can be started, examined and sorted by keyboard', async ({ page }) => {
  const lab = labPage(page);
  await lab.open();
  await tabTo(page, page.getByRole('radio', { checked: true }));
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Steady' })).toBeChecked();
  await page.keyboard.press('ArrowLeft');
  await tabTo(page, lab.start);
  await answerTo(page, 'lab.run', () => page.keyboard.press('Enter'));
  await expect(lab.lane('Sliding log')).toContainText('10 admitted, 10 refused');

  await tabTo(page, page.getByRole('slider', { name: 'Time', exact: true }));
  await page.keyboard.press('Home');
  await expect(page.getByText('0 of 20 calls')).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText('1 of 20 calls')).toBeVisible();
  await expect(lab.lane('Sliding log')).toContainText('9.40 s: admitted, 9 left by its count');
  await page.keyboard.press('End');
  await expect(lab.lane('Fixed window')).toContainText('Last 10 s: 0 admitted');

  await tabTo(page, page.getByRole('button', { name: 'Refused' }));
  await page.keyboard.press('Space');
  await expect(page.getByRole('columnheader', { name: 'Refused' })).toHaveAttribute(
    'aria-sort',
    'descending',
  );

  const chart = page.getByRole('slider', { name: /^Admitted calls in the window/ });
  await page.getByRole('slider', { name: 'Time', exact: true }).fill('12300');
  await expect(page.getByText(/^At 12\.30\ss/)).toBeVisible();
  await expect(chart, 'also between two calls').toHaveAttribute('aria-valuetext', /^12\.30\ss, /);
  await tabTo(page, chart);
  await page.keyboard.press('Home');
  await expect(chart).toHaveAttribute('aria-valuetext', /^0.00\ss, Sliding log 0, /);
  await page.keyboard.press('ArrowRight');
  await expect(chart).toHaveAttribute('aria-valuetext', /^9\.40\ss, Sliding log 1, /);
  const table = page.getByRole('table', { name: /^Admitted calls in the window/ });
  const row = table.getByRole('row', { name: /^10\ss/ });
  await expect(row.getByRole('cell').first(), 'for screen readers').toHaveText('10');
});

test('a long run shows its progress and can be cancelled', async ({ page }) => {
  const lab = labPage(page);
  await lab.open('?traffic=steady&limit=200&window=600000&load=300&windows=4');
  // A fast machine may end a run before it is cancelled.
  await expect(async () => {
    await lab.start.click();
    await expect(page.getByText(/^[\d,]+ of 12,000 decisions$/)).toBeVisible({ timeout: 500 });
    await page.getByRole('button', { name: 'Cancel' }).click({ timeout: 500 });
  }).toPass();
  await expect(page.getByText('Run cancelled. You can start it again.')).toBeVisible();
  await expect(lab.start).not.toHaveAttribute('aria-disabled', 'true');

  await lab.run();
  await expect(lab.lane('Sliding log')).toContainText('800 admitted');
  await expect(page.getByText(EARLIER)).toHaveCount(0);
  await expect(async () => {
    await lab.start.click();
    await page.getByRole('button', { name: 'Cancel' }).click({ timeout: 500 });
  }).toPass();
  await expect(page.getByText(EARLIER), 'the full result is not that of the cancelled run').toHaveCount(3);
});

test.describe('refused', () => {
  test.use({ expectedStatuses: [429] });

  test('the eleventh experiment of a minute is refused, and the button shows the wait', async ({
    page,
    playwright,
    floodgate,
  }) => {
    await setLabLimit({ playwright, url: floodgate.url }, undefined);
    const lab = labPage(page);
    await lab.open('?traffic=steady&limit=1&window=1000&windows=2');
    const refused = page.getByRole('button', { name: /^Try again in \d+\ss$/ });
    await expect(async () => {
      // The refusal changes the button's name.
      if (!(await refused.isVisible())) await lab.start.click({ timeout: 1_000 });
      await expect(refused).toBeVisible({ timeout: 300 });
    }).toPass({ intervals: [0] });
    await expect(page.getByText('Limit for your internet connection: 10 per minute')).toBeVisible();
  });
});

/** Chooses a kind of traffic, also if the page reacts late. */
async function choose(page: Page, traffic: string): Promise<void> {
  await expect(async () => {
    await page.getByRole('radio', { name: traffic }).check();
    await expect(page).toHaveURL(/traffic=preset/, { timeout: 1_000 });
  }).toPass();
}

/** Clicks a download button. Returns the name and the text of the file. */
async function download(page: Page, button: string): Promise<{ name: string; text: string }> {
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const file = await started;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

test('the lab shows the calls of shoppers as commands', async ({ page }) => {
  await page.goto('/lab/tour');
  await page.getByText('curl coupon.claim').click();
  await expect(page.getByText('api/trpc/coupon.claim')).toBeVisible();
});
