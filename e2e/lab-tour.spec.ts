import { expect, test } from './fixtures';

const steps = [
  { name: 'Why a limit', shows: 'Side by side', url: /preset=seckill/ },
  { name: 'Five algorithms, one burst', shows: 'Side by side', url: /traffic=edge/ },
  { name: 'How exact a counter is', shows: 'Side by side', url: /subwindows=1/ },
  { name: 'A queue instead of a refusal', shows: 'Side by side', url: /preset=leaky-burst/ },
  { name: 'One step or four', shows: 'Common mistakes', url: /card=four-commands/ },
  { name: 'Whose clock', shows: 'Common mistakes', url: /card=node-clock/ },
  { name: 'When Redis is down', shows: 'Common mistakes', url: /card=redis-down/ },
  { name: 'Who gets the coupon', shows: 'Fairness', url: /section=fairness/ },
];

test('the tour leads from the lab through all steps, each with its form filled in or its card open', async ({
  page,
}) => {
  await page.goto('/lab');
  await page.getByRole('link', { name: 'Take the tour' }).click();
  const names = page.getByRole('listitem').getByRole('heading', { level: 2 });
  await expect(names).toHaveText(steps.map(({ name }) => name));
  await page.getByRole('link', { name: 'Start the tour' }).click();

  const bar = page.getByRole('navigation', { name: 'A tour of the lab' });
  const limit = page.getByRole('spinbutton', { name: 'Limit (calls)' });
  const subWindows = page.getByRole('slider', { name: 'Sub-windows of the sliding counter' });
  const start = page.getByRole('button', { name: 'Run', exact: true });
  const card = (title: string) => page.getByRole('heading', { level: 3, name: title, exact: true });
  /** Checks the page of a step, by the number of the step. */
  const pages: Record<number, () => Promise<void>> = {
    async 1() {
      await expect(start, 'the step names it').toBeInViewport({ ratio: 1 });
      await expect(limit).toHaveValue('100');
    },
    async 2() {
      await expect(page.getByRole('radio', { name: 'Burst at the edge' })).toBeChecked();
      await expect(limit).toHaveValue('10');
    },
    async 3() {
      await expect(subWindows).toHaveValue('1');
      await expect(start).toBeInViewport({ ratio: 1 });
      await bar.getByRole('link', { name: 'Previous step' }).click();
      await expect(subWindows).toHaveValue('10');
      await bar.getByRole('link', { name: 'Next step' }).click();
      await expect(subWindows).toHaveValue('1');
    },
    async 5() {
      await expect(card('A race between four commands')).toBeVisible();
      await expect(
        page.getByRole('main').getByRole('heading', { level: 3 }).first(),
        'before the others',
      ).toHaveText('A race between four commands');
    },
    6: () => expect(card('A node with a wrong clock')).toBeVisible(),
    async 7() {
      await expect(card('Redis is down')).toBeVisible();
      await expect(card('A race between four commands')).toHaveCount(0);
    },
  };
  for (const [index, { name, shows, url }] of steps.entries()) {
    await expect(bar).toContainText(`Step ${index + 1} of 8: ${name}`);
    await expect(page.getByRole('link', { name: shows })).toHaveAttribute('aria-current', 'page');
    await expect(page).toHaveURL(url);
    await expect(page).toHaveURL(new RegExp(`step=${index + 1}$|step=${index + 1}&`));
    await pages[index + 1]?.();
    // A card that comes into view moves the bar out of it, and another one follows the card.
    await page
      .getByRole('link', { name: /^(Next step|Finish the tour)$/ })
      .last()
      .click();
  }
  await expect(page).toHaveURL('/lab/tour');
});

for (const way of ['the link', 'Escape'] as const) {
  test(`${way} leaves the tour, and its scenario stays`, async ({ page }) => {
    await page.goto('/lab?traffic=preset&preset=seckill&step=1');
    const leave = page.getByRole('link', { name: 'Leave the tour' });
    // A key that precedes the scripts of the page has no effect.
    await expect(async () => {
      if (way === 'Escape') await page.keyboard.press('Escape');
      // A click that is answered late has removed the link.
      else if (await leave.isVisible()) await leave.click({ timeout: 1_000 });
      await expect(page.getByRole('navigation', { name: 'A tour of the lab' })).toHaveCount(0, {
        timeout: 1_000,
      });
    }).toPass();
    await expect(page).toHaveURL('/lab?traffic=preset&preset=seckill');
    await expect(page.getByRole('link', { name: 'Take the tour' })).toBeVisible();
  });
}

test('another section leaves the tour', async ({ page }) => {
  await page.goto('/lab?section=fairness&step=8');
  await page.getByRole('link', { name: 'Layers' }).click();
  await expect(page.getByRole('heading', { name: 'Layers', level: 2 })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'A tour of the lab' })).toHaveCount(0);
});

test('the hand-out links to each mistake, and prints on white paper without navigation', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/lab/tour');
  await page.getByRole('link', { name: 'print the handout' }).click();
  await expect(page.getByRole('row')).toHaveCount(6);
  await expect(page.locator('a[href*="card="]')).toHaveCount(27);
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  await expect(page.getByRole('banner')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('light');
  await page.getByRole('link', { name: 'Four commands' }).click();
  await expect(page).toHaveURL('/lab?section=mistakes&card=four-commands');
});

test('the hand-out takes two pages of A4 in both languages', async ({ page }) => {
  for (const language of ['en', 'zh']) {
    await page.goto(`/lab/handout?lang=${language}`);
    const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g), language).toHaveLength(2);
  }
});
