import { readFile } from 'node:fs/promises';
import type { APIRequestContext, Download, Locator, Page, PlaywrightWorkerArgs } from '@playwright/test';
import { expect } from './fixtures';
import { test } from './own-floodgate';
import { tabTo } from './tab-to';

/** Ten experiments a minute are for one visitor; these stories are many. Each begins as its own story says. */
test.beforeEach(({ playwright, floodgate }) =>
  asOperator({ playwright, url: floodgate.url }, (operator) =>
    operator.post('/api/trpc/limit.update', {
      data: { policy: 'lab', level: 'ip', limit: 1_000, why: 'stories of one visitor' },
    }),
  ),
);

test('at an edge the fixed window lets twice the limit through, and the log never more than the limit', async ({
  page,
}) => {
  const lab = labPage(page);
  await lab.open();
  await lab.run();
  await expect(lab.lane('Fixed window')).toContainText('20 / 10 over limit');
  await expect(lab.lane('Sliding log')).toContainText('10 / 10 within limit');

  const row = page.getByRole('row', { name: /^Fixed window/ });
  await expect(row).toContainText('20 / 10 over limit');
  await page.getByRole('button', { name: 'Admitted' }).click();
  await expect(page.getByRole('row').nth(1)).toContainText('Fixed window');
});

for (const traffic of ['steady', 'pulse', 'poisson']) {
  test(`${traffic}: whatever comes, the log and the counter keep the limit`, async ({ page }) => {
    const lab = labPage(page);
    await lab.open(`?traffic=${traffic}&limit=20&window=1000&load=300&windows=5`);
    await lab.run();
    for (const algorithm of ['Sliding log', 'Sliding counter']) {
      await expect(lab.lane(algorithm)).toContainText('20 / 20 within limit');
    }
  });
}

test('calls that race get past four commands every time, and past the product never', async ({ page }) => {
  await page.goto('/lab?section=mistakes');
  const cards = [/^Four commands race/, /^A member that is its timestamp/];
  for (const title of cards) {
    const card = page.getByRole('region', { name: title });
    for (let time = 0; time < 3; time += 1) {
      await answerTo(page, 'lab.race', () => card.getByRole('button', { name: 'Let them race' }).click());
      await expect(card.getByText(/over the limit/)).toBeVisible();
      await expect(card.getByText('10 / 10')).toBeVisible();
      await expect(card.getByText('limit kept')).toBeVisible();
      const over = await card.getByText(/^\d+ \/ 10$/).allTextContents();
      expect(over.map((text) => Number.parseInt(text, 10) > 10)).toEqual([true, false]);
    }
  }
});

test('each mistake is shown beside the product, which does not make it', async ({ page }) => {
  await page.goto('/lab?section=mistakes');
  const stories = [
    [/^Twice the limit/, 'over the limit', 'limit kept'],
    [/^A node whose clock/, 'over the limit', 'limit kept'],
    [/^A refusal that extends/, 'never let in again', 'let in again'],
    [/^Keys that a cluster/, 'a cluster refuses it', 'runs on a cluster'],
  ] as const;
  for (const [title, mistaken, product] of stories) {
    const card = page.getByRole('region', { name: title });
    await answerTo(page, 'lab.mistake', () => card.getByRole('button', { name: 'Show it' }).click());
    await expect(card.getByText(mistaken, { exact: true })).toBeVisible();
    await expect(card.getByText(product, { exact: true })).toBeVisible();
  }
});

test('an address brings the whole scenario back', async ({ page }) => {
  const lab = labPage(page);
  await lab.open();
  await page.getByRole('radio', { name: 'Chance' }).check();
  await page.getByLabel('Limit, calls').fill('25');
  await page.getByRole('combobox', { name: 'Window' }).selectOption('5 s');
  await page.getByRole('spinbutton', { name: 'Seed' }).fill('42');
  const query = 'traffic=poisson&limit=25&window=5000&load=100&windows=3&seed=42';
  await expect(page).toHaveURL(`/lab?${query}`);

  await page.reload();
  await expect(page.getByRole('radio', { name: 'Chance' })).toBeChecked();
  await expect(page.getByLabel('Limit, calls')).toHaveValue('25');
  await expect(page.getByRole('combobox', { name: 'Window' })).toHaveValue('5000');
  await expect(page.getByRole('spinbutton', { name: 'Seed' })).toHaveValue('42');
  await lab.run();
  await expect(page.getByText(`npm run lab -- '${query}'`)).toBeVisible();

  await page.getByRole('link', { name: 'Layers' }).click();
  await expect(page.getByRole('heading', { name: 'Layers', level: 2 })).toBeVisible();
  await page.getByRole('link', { name: 'Side by side' }).click();
  await expect(page.getByRole('spinbutton', { name: 'Seed' })).toHaveValue('42');
});

test('a run is taken along as CSV and as JSON', async ({ page }) => {
  const lab = labPage(page);
  await lab.open('?traffic=steady&limit=2&window=1000&load=200&windows=2');
  await lab.run();
  const csv = await taken(page, 'All decisions as CSV');
  expect(csv.name).toBe('floodgate-steady.csv');
  // Eight calls, five algorithms, a head, and the end of the last line.
  expect(csv.text.split('\r\n')).toHaveLength(8 * 5 + 2);
  const json = await taken(page, 'Everything as JSON');
  expect(JSON.parse(json.text)).toMatchObject({
    query: 'traffic=steady&limit=2&window=1000&load=200&windows=2',
  });
});

test('taps become calls, and their address carries them', async ({ page }) => {
  const lab = labPage(page);
  await lab.open('?traffic=taps&limit=2&window=60000');
  const pad = page.getByRole('button', { name: 'Tap', exact: true });
  await expect(async () => {
    await pad.click();
    await expect(page.getByText(/^[1-9]\d* taps?$/)).toBeVisible({ timeout: 300 });
  }).toPass();
  await page.getByRole('button', { name: 'Start over' }).click();
  for (let tap = 0; tap < 3; tap += 1) await pad.press('Enter');
  await expect(page.getByText('3 taps')).toBeVisible();
  await expect(page).toHaveURL(/at=0(\.\w*){2}$/);
  await page.reload();
  await expect(page.getByText('3 taps')).toBeVisible();
  await lab.run();
  await expect(lab.lane('Sliding log')).toContainText('2 admitted, 1 refused');
});

test('the last minutes of the live sale become the calls', async ({ page, request, floodgate }) => {
  const { couponId } = await anySale(request);
  const crowd = await request.post(`${floodgate.url}/api/trpc/demo.crowd`, {
    data: { couponId, shoppers: 30, overMs: 0 },
  });
  expect(crowd.ok()).toBe(true);
  const lab = labPage(page);
  await lab.open('?traffic=live&limit=5&window=10000');
  await expect(async () => {
    await page.getByRole('button', { name: 'Bring the last minutes' }).click();
    await expect(page.getByText(/^30 calls within/)).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 20_000 });
  await lab.run();
  await expect(lab.lane('Sliding log')).toContainText('5 admitted, 25 refused');
});

test('a run is started, looked through and sorted without a mouse', async ({ page }) => {
  const lab = labPage(page);
  await lab.open();
  await tabTo(page, page.getByRole('radio', { checked: true }));
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Steady' })).toBeChecked();
  await page.keyboard.press('ArrowLeft');
  await tabTo(page, lab.start);
  await answerTo(page, 'lab.run', () => page.keyboard.press('Enter'));
  await expect(lab.lane('Sliding log')).toContainText('10 admitted, 10 refused');

  await tabTo(page, page.getByRole('slider', { name: 'Instant', exact: true }));
  await page.keyboard.press('Home');
  await expect(page.getByText('0 of 20 calls have come')).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText('1 of 20 calls have come')).toBeVisible();
  await expect(lab.lane('Sliding log')).toContainText('9.40 s: admitted, 9 left');
  await page.keyboard.press('End');
  await expect(lab.lane('Fixed window')).toContainText('0 / 10 in the window');

  await tabTo(page, page.getByRole('button', { name: 'Refused' }));
  await page.keyboard.press('Space');
  await expect(page.getByRole('columnheader', { name: 'Refused' })).toHaveAttribute(
    'aria-sort',
    'descending',
  );

  const chart = page.getByRole('slider', { name: /^Admitted in the window/ });
  await tabTo(page, chart);
  await page.keyboard.press('Home');
  await expect(chart).toHaveAttribute('aria-valuetext', /^0 s, Sliding log 0, /);
  await page.keyboard.press('ArrowRight');
  await expect(chart).toHaveAttribute('aria-valuetext', /^9\.4 s, Sliding log 1, /);
});

test('a long run says how far it is, and may be given up', async ({ page }) => {
  const lab = labPage(page);
  await lab.open('?traffic=steady&limit=200&window=600000&load=300&windows=6');
  const cancel = page.getByRole('button', { name: 'Cancel' });
  await expect(async () => {
    await lab.start.click();
    await expect(cancel).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(page.getByText(/^[\d,]+ of 18,000 decisions$/)).toBeVisible();
  await cancel.click();
  await expect(page.getByText(/^Cancelled/)).toBeVisible();
  await expect(lab.start).not.toHaveAttribute('aria-disabled', 'true');
});

test('what a caller is told and what Redis holds are there to be read', async ({ page }) => {
  const lab = labPage(page);
  await lab.open();
  await lab.run();
  const told = page.getByRole('region', { name: 'What a caller is told' });
  await told.getByText('Sliding log').click();
  const refusal = told.getByText(/^HTTP\/1.1 429 Too Many Requests[\s\S]*retry-after: /);
  await expect(refusal.filter({ visible: true })).toHaveCount(1);
  const keys = page.getByRole('region', { name: 'What is in Redis' });
  await keys.getByText('Sliding log').click();
  await expect(keys.getByText(/^Packed: 10 hits at 9.40 s/)).toBeVisible();
});

test('one log is compared in every type of Redis', async ({ page }) => {
  await page.goto('/lab?section=storage');
  await answerTo(page, 'lab.storages', () => page.getByRole('button', { name: 'Compare' }).click());
  for (const type of ['STRING, as text', 'LIST', 'HASH', 'ZSET', 'STRING, packed by the product']) {
    await expect(page.getByRole('row', { name: new RegExp(`^${type}`) })).toBeVisible();
  }
});

test('one decision charges no layer in vain, three decisions do', async ({ page }) => {
  await page.goto('/lab?section=layers');
  await answerTo(page, 'lab.layers', () => page.getByRole('button', { name: 'Send them' }).click());
  const vain = (title: string) =>
    page
      .getByRole('region', { name: title })
      .getByText('Charged in vain')
      .locator('xpath=following-sibling::*');
  await expect(vain('One decision')).toHaveText('0');
  await expect(vain('Three decisions')).toHaveText(/^[1-9]\d*$/);
});

test.describe('refused', () => {
  test.use({ expectedStatuses: [429] });

  test('who presses too fast is warned, then locked out for as long as it says', async ({ page }) => {
    await page.goto('/lab?section=ladder');
    const button = page.getByRole('button', { name: 'Press me, too fast' });
    await expect(async () => {
      await button.click();
      await expect(page.getByText('Warned').first()).toBeVisible({ timeout: 200 });
    }).toPass({ intervals: [0] });
    await expect(page.getByRole('list', { name: 'Rungs of the ladder' })).toContainText('You are here');
    await expect(async () => {
      await button.click();
      await expect(page.getByText(/^Locked out for \d+ s\. /)).toBeVisible({ timeout: 200 });
    }).toPass({ intervals: [0] });
    await expect(page.getByText('The button admits you.')).toBeVisible({ timeout: 25_000 });
  });

  test('the eleventh experiment of a minute is refused, and the button says when to come back', async ({
    page,
    playwright,
    floodgate,
  }) => {
    await asOperator({ playwright, url: floodgate.url }, (operator) =>
      operator.post('/api/trpc/limit.reset', { data: { policy: 'lab', level: 'ip' } }),
    );
    const lab = labPage(page);
    await lab.open('?traffic=steady&limit=1&window=1000&windows=2');
    await expect(async () => {
      await lab.start.click();
      await expect(page.getByRole('button', { name: /^Again in \d+ s$/ })).toBeVisible({ timeout: 300 });
    }).toPass({ intervals: [0], timeout: 20_000 });
    await expect(page.getByText('Your address: 10 in 1 min')).toBeVisible();
  });
});

/** The lab's first part as a visitor finds their way about it. */
function labPage(page: Page) {
  const start = page.getByRole('button', { name: 'Run', exact: true });
  return {
    start,
    lane: (algorithm: string): Locator =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: algorithm }) }),
    async open(query = ''): Promise<void> {
      await page.goto(`/lab${query}`);
      // The browser draws the lanes as soon as it has their width: by then the form listens.
      const line = page.getByRole('listitem').locator('svg > path:first-child').last();
      await expect(line).toHaveAttribute('d', /h[1-9]/);
    },
    run: () => answerTo(page, 'lab.run', () => start.click()),
  };
}

/** Does something until it has brought an answer: a button that has just arrived may not be listening yet. */
async function answerTo(page: Page, procedure: string, act: () => Promise<void>): Promise<void> {
  await expect(async () => {
    const answer = page.waitForResponse((response) => response.url().includes(procedure), { timeout: 3_000 });
    const [{ ok }] = await Promise.all([answer.then((response) => ({ ok: response.ok() })), act()]);
    expect(ok).toBe(true);
  }).toPass();
}

async function taken(page: Page, button: string): Promise<{ name: string; text: string }> {
  const download: Promise<Download> = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const file = await download;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

async function anySale(by: APIRequestContext): Promise<{ couponId: string }> {
  const { result } = await (await by.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; kind: string; state: string }[] = result.data.coupons;
  const sale = coupons.find(({ kind, state }) => kind === 'seckill' && state === 'live');
  return { couponId: sale?.id ?? '' };
}

async function asOperator(
  { playwright, url }: Pick<PlaywrightWorkerArgs, 'playwright'> & { url: string },
  act: (operator: APIRequestContext) => ReturnType<APIRequestContext['post']>,
): Promise<void> {
  const operator = await playwright.request.newContext({ baseURL: url });
  expect((await operator.post('/api/trpc/auth.signInDemo', { data: { role: 'admin' } })).ok()).toBe(true);
  const answer = await act(operator);
  expect(answer.ok(), await answer.text()).toBe(true);
  await operator.dispose();
}
