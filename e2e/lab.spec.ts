import { readFile } from 'node:fs/promises';
import type { APIRequestContext, Locator, Page, PlaywrightWorkerArgs } from '@playwright/test';
import { expect } from './fixtures';
import { findLiveCoupon } from './live-coupon';
import { openMistake } from './open-mistake';
import { signInOperator } from './ops-page';
import { test } from './own-floodgate';
import { tabTo } from './tab-to';

const EARLIER = 'Result of an earlier run';

/** Raises the limit of ten experiments a minute, which these tests exceed. */
test.beforeEach(({ playwright, floodgate }) =>
  asOperator({ playwright, url: floodgate.url }, (operator) =>
    operator.post('/api/trpc/limit.update', {
      data: { policy: 'lab', level: 'ip', limit: 1_000, why: 'tests of one visitor' },
    }),
  ),
);

test('the page states the effective limit of experiments', async ({ page }) => {
  await page.goto('/lab');
  await expect(page.getByText('Each network can run 1,000 experiments per minute.')).toBeVisible();
});

test('at an edge the fixed window admits twice the limit, and the log never more than the limit', async ({
  page,
}) => {
  const lab = labPage(page);
  await lab.open();
  await lab.run();
  await expect(lab.lane('Fixed window')).toContainText('20 / 10 over limit');
  await expect(lab.lane('Sliding log')).toContainText('10 / 10 within limit');

  const row = page.getByRole('row', { name: /^Fixed window/ });
  await expect(row).toContainText('20 / 10 over limit');
  const leaky = page.getByRole('row', { name: /^Leaky bucket/ });
  await expect(leaky, 'the wait of a queued call').toContainText(/8\.\d\d\ss/);
  const frame = page.getByRole('region', { name: 'Results' }).getByRole('table').locator('xpath=..');
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
});

test('a changed number leaves the result in place, labelled as earlier, until the next run', async ({
  page,
}) => {
  const lab = labPage(page);
  await lab.open();
  await lab.run();
  await expect(lab.lane('Fixed window')).toContainText('20 / 10 over limit');
  await expect(lab.lane('Sliding log')).toContainText('10 / 10 within limit');
  const canvas = page.getByRole('region', { name: 'Results' }).locator('canvas');
  const picture = () => canvas.evaluate((element: HTMLCanvasElement) => element.toDataURL());
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
  await expect(canvas).not.toBeInViewport();
  await expect.poll(picture, 'the chart out of view has the limit of its run').not.toBe(first);
});

test.describe('a laptop', () => {
  test.use({ viewport: { width: 1_440, height: 900 } });

  for (const language of ['en', 'zh']) {
    test(`each tab in ${language} fits on the screen`, async ({ page }) => {
      for (const section of ['compare', 'mistakes', 'storage', 'ladder', 'layers', 'fairness']) {
        await page.goto(`/lab?section=${section}&lang=${language}`);
        await expect(page.getByRole('main').locator('[class*=skeleton]')).toHaveCount(0);
        await expect(page.getByRole('main').locator('button, summary').first()).toBeVisible();
        expect(await page.evaluate(() => document.documentElement.scrollHeight), section).toBeLessThanOrEqual(
          900,
        );
      }
    });
  }
});

test('a chart out of view is drawn for pictures of the whole page, and for paper', async ({ page }) => {
  const lab = labPage(page);
  await lab.open();
  await lab.run();
  const chart = page.getByRole('region', { name: 'Results' }).getByRole('slider');
  await expect(chart).not.toBeInViewport();
  await expect(chart.locator('svg path, canvas').first(), 'never an empty box').toBeAttached();
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  const canvas = chart.locator('canvas');
  await expect(canvas).toBeVisible();
  const pixels = await canvas.evaluate((element: HTMLCanvasElement) => {
    const { data } = element.getContext('2d')?.getImageData(0, 0, element.width, element.height) ?? {
      data: [],
    };
    return data.some((value) => value > 0);
  });
  expect(pixels, 'lines on the canvas').toBe(true);
});

for (const traffic of ['steady', 'pulse', 'poisson']) {
  test(`${traffic}: the log and the counter keep the limit`, async ({ page }) => {
    const lab = labPage(page);
    await lab.open(`?traffic=${traffic}&limit=20&window=1000&load=300&windows=5`);
    await lab.run();
    for (const algorithm of ['Sliding log', 'Sliding counter']) {
      await expect(lab.lane(algorithm)).toContainText('20 / 20 within limit');
    }
  });
}

test('concurrent calls always exceed the limit of four commands and never that of the product', async ({
  page,
}) => {
  await page.goto('/lab?section=mistakes');
  for (const title of [/^A race between four commands/, /^Timestamps as members/]) {
    const card = await openMistake(page, title);
    for (let time = 0; time < 2; time += 1) {
      await answerTo(page, 'lab.mistake', () =>
        card.getByRole('button', { name: 'Run', exact: true }).click(),
      );
      await expect(card.getByText('over the limit', { exact: true })).toBeVisible();
      await expect(card.getByText('Calls in the fullest window')).toHaveCount(2);
      await expect(card.getByText('100 / 10', { exact: true }).first()).toBeVisible();
      await expect(card.getByText('within the limit', { exact: true })).toBeVisible();
      await expect(card.getByText('10 / 10', { exact: true }).first()).toBeVisible();
    }
  }
});

test('each mistake is shown next to the product without the mistake', async ({ page }) => {
  await page.goto('/lab?section=mistakes');
  const cards = [
    [/^Twice the limit/, 'over the limit', 'within the limit'],
    [/^A refusal that extends/, 'never admitted again', 'admitted again'],
    [/^A bucket with mixed-up units/, 'over the limit', 'within the limit'],
    [/^Keys in different cluster slots/, 'refused by a cluster', 'runs on a cluster'],
    [/^A block that blocks again/, 'blocked again by one call', 'starts anew'],
  ] as const;
  for (const [title, mistaken, product] of cards) {
    const card = await openMistake(page, title);
    await answerTo(page, 'lab.mistake', () => card.getByRole('button', { name: 'Run', exact: true }).click());
    await expect(card.getByText(mistaken, { exact: true })).toBeVisible();
    await expect(card.getByText(product, { exact: true })).toBeVisible();
  }
});

test('the address of a card opens it, and a store that is down is shown in three ways, by keyboard', async ({
  page,
}) => {
  await page.goto('/lab?section=mistakes&card=redis-down');
  const card = page.getByRole('region', { name: 'Redis is down' });
  await expect(card).toBeInViewport();
  await expect(card).toContainText('Sends the same calls to all three versions');
  await expect(card.getByText('every call is admitted'), 'the heading names no single version').toHaveCount(
    1,
  );
  await expect(page.locator(':focus'), 'a page that opens does not move the focus').toHaveCount(0);
  await answerTo(page, 'lab.mistake', () =>
    card.getByRole('button', { name: 'Run', exact: true }).press('Enter'),
  );
  for (const figure of ['100 / 20', '0 / 20', '20 / 20']) {
    await expect(card.getByText(figure, { exact: true }).first()).toBeVisible();
  }
  await expect(card).toContainText('open 100, closed 0, local 20');

  await openMistake(page, /^Keys that stay for ever/);
  await expect(page).toHaveURL(/section=mistakes&card=zombie-keys$/);
});

test.describe('a phone', () => {
  test.use({ viewport: { width: 375, height: 812 } });

  test('a select chooses a mistake, and its card follows', async ({ page }) => {
    await page.goto('/lab?section=mistakes');
    const select = page.getByRole('combobox', { name: 'Mistake' });
    const card = page.getByRole('region', { name: 'Twice the limit at the edge' });
    await expect(async () => {
      await select.selectOption({ label: 'A race between four commands' });
      await select.selectOption({ label: 'Twice the limit at the edge' });
      await expect(card).toBeInViewport({ timeout: 500 });
    }).toPass();
    await expect(select).toBeInViewport();
    await expect(page).toHaveURL(/card=double-burst$/);
  });
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
  await expect(page.getByText(/^0 of \d+ calls$/), 'no call is decided before the run').toBeVisible();
  await lab.run();

  await page.getByRole('link', { name: 'Layers' }).click();
  await expect(page.getByRole('heading', { name: 'Layers', level: 2 })).toBeVisible();
  await page.getByRole('link', { name: 'Side by side' }).click();
  await expect(page.getByRole('spinbutton', { name: 'Seed' })).toHaveValue('42');
});

test('a run can be downloaded as CSV and as JSON', async ({ page }) => {
  const lab = labPage(page);
  await lab.open('?traffic=steady&limit=2&window=1000&load=200&windows=2');
  await lab.run();
  const csv = await download(page, 'Download decisions (CSV)');
  expect(csv.name).toBe('floodgate-steady.csv');
  // Eight calls, five algorithms, a header, and the end of the last line.
  expect(csv.text.split('\r\n')).toHaveLength(8 * 5 + 2);
  const json = await download(page, 'Download everything (JSON)');
  expect(JSON.parse(json.text)).toMatchObject({
    query: 'traffic=steady&limit=2&window=1000&load=200&windows=2',
  });
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
  await expect(page.getByText('3 clicks')).toBeVisible();
  await lab.run();
  await expect(lab.lane('Sliding log')).toContainText('2 admitted, 1 refused');
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
  }).toPass({ timeout: 20_000 });
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
});

test('a long run shows its progress and can be cancelled', async ({ page }) => {
  const lab = labPage(page);
  await lab.open('?traffic=steady&limit=200&window=600000&load=300&windows=6');
  // A fast machine may end a run before it is cancelled.
  await expect(async () => {
    await lab.start.click();
    await expect(page.getByText(/^[\d,]+ of 18,000 decisions$/)).toBeVisible({ timeout: 500 });
    await page.getByRole('button', { name: 'Cancel' }).click({ timeout: 500 });
  }).toPass();
  await expect(page.getByText('Run cancelled. You can start it again.')).toBeVisible();
  await expect(lab.start).not.toHaveAttribute('aria-disabled', 'true');

  await lab.run({ withinMs: 20_000 });
  await expect(lab.lane('Sliding log')).toContainText('1,200 admitted');
  await expect(page.getByText(EARLIER)).toHaveCount(0);
  await expect(async () => {
    await lab.start.click();
    await page.getByRole('button', { name: 'Cancel' }).click({ timeout: 500 });
  }).toPass();
  await expect(page.getByText(EARLIER), 'the full result is not that of the cancelled run').toHaveCount(3);
});

test('a run shows the HTTP responses and the keys in Redis', async ({ page }) => {
  const lab = labPage(page);
  await lab.open();
  await lab.run();
  const responses = page.getByRole('region', { name: 'HTTP responses' });
  await responses.getByText('Sliding log').click();
  const refusal = responses.getByText(/^HTTP\/1.1 429 Too Many Requests[\s\S]*retry-after: /);
  await expect(refusal.filter({ visible: true })).toHaveCount(1);
  const keys = page.getByRole('region', { name: 'Keys in Redis' });
  await keys.getByText('Sliding log').click();
  await expect(keys.getByText(/^Packed: 10 hits at 9.40\ss/)).toBeVisible();
});

test('one log is compared in every Redis type', async ({ page }) => {
  await page.goto('/lab?section=storage');
  await answerTo(page, 'lab.storages', () => page.getByRole('button', { name: 'Compare' }).click());
  for (const type of ['STRING, as text', 'LIST', 'HASH', 'ZSET', 'STRING, packed by Floodgate']) {
    await expect(page.getByRole('row', { name: new RegExp(`^${type}`) })).toBeVisible();
  }
});

test('one decision charges no layer for refused calls, three decisions do', async ({ page }) => {
  await page.goto('/lab?section=layers');
  await answerTo(page, 'lab.layers', () => page.getByRole('button', { name: 'Send calls' }).click());
  const charged = (title: string) =>
    page
      .getByRole('region', { name: title })
      .getByText('Charged for refused calls')
      .locator('xpath=following-sibling::*');
  await expect(charged('One decision')).toHaveText('0');
  await expect(charged('Three decisions')).toHaveText(/^[1-9]\d*$/);
});

test('pollers win by refusals, and wait as long as people in the queue', async ({ page }) => {
  await page.goto('/lab?section=fairness');
  const admitted = (title: string, group: string) =>
    page
      .getByRole('region', { name: title })
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: group }) })
      .getByText(/admitted$/);
  // The first choice may be before the page is interactive.
  await expect(async () => {
    await page.getByLabel('Coupons').selectOption({ label: 'One for everyone' });
    await page.getByLabel('Coupons').selectOption({ label: 'Only 20' });
    await answerTo(page, 'lab.fairness', () => page.getByRole('button', { name: 'Run both' }).click());
    await expect(admitted('With the queue', 'People')).toHaveText('18 of 90 admitted', { timeout: 3_000 });
  }).toPass();
  await expect(admitted('Refusals only', 'Bots')).toHaveText(/^([89]|10) of 10 admitted$/);
  await page.getByLabel('People').fill('80');
  await expect(page.getByText(EARLIER).last()).toBeVisible();
  await expect(admitted('With the queue', 'Bots')).toHaveText('2 of 10 admitted');
});

test.describe('refused', () => {
  test.use({ expectedStatuses: [429] });

  test('fast clicks lead to a warning, then to a block of the displayed length', async ({ page }) => {
    await page.goto('/lab?section=ladder');
    const rule = '3 clicks in 10 s. A warning from violation 2, a block of 20 s at violation 4.';
    await expect(page.getByText(rule)).toBeVisible();
    const button = page.getByRole('button', { name: 'Click me fast' });
    await expect(async () => {
      await button.click();
      await expect(page.getByText('Warned').first()).toBeVisible({ timeout: 200 });
    }).toPass({ intervals: [0] });
    await expect(page.getByRole('list', { name: 'Punishment ladder' })).toContainText('You are here');
    await expect(async () => {
      await button.click();
      await expect(page.getByText(/^Blocked: \d+\ss left\. /)).toBeVisible({ timeout: 200 });
    }).toPass({ intervals: [0] });
    await expect(page.getByText('Your next click will be admitted.')).toBeVisible({ timeout: 25_000 });
  });

  test('the eleventh experiment of a minute is refused, and the button shows the wait', async ({
    page,
    playwright,
    floodgate,
  }) => {
    await asOperator({ playwright, url: floodgate.url }, (operator) =>
      operator.post('/api/trpc/limit.reset', { data: { policy: 'lab', level: 'ip' } }),
    );
    const lab = labPage(page);
    await lab.open('?traffic=steady&limit=1&window=1000&windows=2');
    const refused = page.getByRole('button', { name: /^Try again in \d+\ss$/ });
    await expect(async () => {
      // The refusal changes the button's name.
      if (!(await refused.isVisible())) await lab.start.click({ timeout: 1_000 });
      await expect(refused).toBeVisible({ timeout: 300 });
    }).toPass({ intervals: [0], timeout: 40_000 });
    await expect(page.getByText('Limit for your network: 10 per minute')).toBeVisible();
  });
});

/** Page object of the lab's first section. */
function labPage(page: Page) {
  const start = page.getByRole('button', { name: 'Run', exact: true });
  return {
    start,
    lane: (algorithm: string): Locator =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: algorithm }) }),
    async open(query = ''): Promise<void> {
      await page.goto(`/lab${query}`);
      // The lanes are drawn after hydration, so the form reacts by then.
      const line = page.getByRole('listitem').locator('svg[class*="drawing"] > path:first-child').last();
      await expect(line).toHaveAttribute('d', /h[1-9]/);
    },
    run: ({ withinMs }: { withinMs?: number } = {}) =>
      answerTo(page, 'lab.run', () => start.click(), withinMs),
  };
}

/** Repeats an action until it gets a response, because a new button may not be hydrated yet. */
async function answerTo(
  page: Page,
  procedure: string,
  act: () => Promise<void>,
  withinMs = 3_000,
): Promise<void> {
  await expect(async () => {
    const answer = page.waitForResponse((response) => response.url().includes(procedure), {
      timeout: withinMs,
    });
    const [{ ok }] = await Promise.all([answer.then((response) => ({ ok: response.ok() })), act()]);
    expect(ok).toBe(true);
  }).toPass();
}

/** Clicks a download button. Returns the name and the text of the file. */
async function download(page: Page, button: string): Promise<{ name: string; text: string }> {
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const file = await started;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

async function asOperator(
  { playwright, url }: Pick<PlaywrightWorkerArgs, 'playwright'> & { url: string },
  act: (operator: APIRequestContext) => ReturnType<APIRequestContext['post']>,
): Promise<void> {
  const operator = await playwright.request.newContext({ baseURL: url });
  expect((await signInOperator(operator)).ok()).toBe(true);
  const answer = await act(operator);
  expect(answer.ok(), await answer.text()).toBe(true);
  await operator.dispose();
}
