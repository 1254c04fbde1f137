import { expect, phone, test } from './fixtures';
import { signInOperator } from './ops-page';
import { expectNoViolations, holdLateScripts } from './page-checks';
import { press, salePage, signInShopper } from './sale-page';

test.use({ expectedStatuses: [429] });

test('a press that opens the dock is answered while the code of the dock is still loading', async ({
  page,
}) => {
  const release = await holdLateScripts(page, '/');
  const sale = salePage(page);
  // A script that waits may delay the load event.
  await page.goto('/', { waitUntil: 'domcontentloaded' });
  // The first click may be before the page is interactive.
  await expect(async () => {
    if ((await sale.opener.getAttribute('aria-expanded')) !== 'true') await sale.opener.click();
    await expect(sale.opener).toHaveAttribute('aria-expanded', 'true', { timeout: 200 });
  }).toPass();
  await sale.opener.click();
  await expect(sale.opener).toHaveAttribute('aria-expanded', 'false');
  await sale.opener.click();
  await expect(sale.opener).toHaveAttribute('aria-expanded', 'true');
  release();
  await expect(sale.dock).toBeVisible();
  await expect(sale.grab).toBeEnabled();
});

test('a crowd empties the coupon that the visitor sees, and its effect is in the view of its cause', async ({
  page,
}) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.openEmpty();
  await expect(sale.dock).toHaveCount(0);
  await expect(page.getByText('This is a demo, without real money.')).toBeVisible();

  await sale.openDock();
  await expect(sale.opener).toHaveAttribute('aria-expanded', 'true');
  const title = (await sale.gate.getByRole('heading').textContent()) ?? '';
  await expect(sale.dock.getByRole('combobox', { name: 'Coupon' }).locator(':checked')).toHaveText(title);
  const stock = sale.gate.getByRole('meter', { name: /left$/ });
  const before = Number(await stock.getAttribute('aria-valuenow'));
  await sale.dock.getByRole('radio', { name: '50', exact: true }).check();
  await sale.dock.getByRole('radio', { name: 'at once' }).check();
  await sale.dock.getByRole('button', { name: /^Send \d+ shoppers$/ }).click();

  await expect(stock).toHaveAttribute('aria-valuenow', String(before - 50));
  await expect(sale.own('Grabbing')).toBeVisible();
  const shownStock = sale.dock.getByRole('meter', { name: /left$/ });
  await expect(shownStock).toHaveAttribute('aria-valuenow', String(before - 50));
  for (const part of [shownStock, stock, sale.grab, sale.own('Grabbing'), sale.everyone]) {
    const isOnTop = await part.evaluate((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      const corners = [
        document.elementFromPoint(left + 8, top + 1),
        document.elementFromPoint(right - 8, bottom - 1),
      ];
      return corners.every((top) => node.contains(top));
    });
    expect(isOnTop, 'cause and effect share one view').toBe(true);
  }
  await expectNoViolations(page);
});

test("a crowd sent in one browser fills everyone's window in the other, until the window has room", async ({
  page,
  otherPage,
  request,
}) => {
  const level = { policy: 'coupon.seckill', level: 'global' };
  await signInOperator(request);
  // On a busy machine, a crowd that fills the declared window takes longer than its 10 s.
  await request.post('/api/trpc/limit.update', { data: { ...level, limit: 20, windowMs: 600_000 } });
  try {
    await request.post('/api/trpc/limit.clear', { data: level });
    const here = salePage(page);
    const there = salePage(otherPage);
    await here.openEmpty();
    await there.openEmpty();

    await here.openDock();
    // Its stock outlasts the crowd, so that the limit refuses.
    await here.dock
      .getByRole('combobox', { name: 'Coupon' })
      .selectOption({ label: 'Bean of the week, 250 g, freshly roasted' });
    await page.getByRole('radio', { name: '50', exact: true }).check();
    await page.getByRole('radio', { name: 'at once' }).check();
    await page.getByRole('button', { name: /^Send \d+ shoppers$/ }).click();

    await expect(there.everyone).toHaveAttribute('aria-valuenow', '20');
    await press(there.grab, 'coupon.seckill');
    await expect(there.gate).toContainText('Very busy, not your fault');
    await expect(there.grab).toHaveText('Join the queue');
    await expect(there.own('Grabbing'), 'a refused call charges nothing').toHaveAttribute(
      'aria-valuenow',
      '0',
    );

    await expect(here.everyone).toHaveAttribute('aria-valuenow', '20');
    await expect(page.getByText(/^50 shoppers: 20 got it, 30 refused/)).toBeVisible();

    expect((await request.post('/api/trpc/limit.reset', { data: level })).status()).toBe(200);
    await expect(there.grab).toHaveText('Grab');
    await press(there.grab, 'coupon.seckill');
    await expect(there.gate).toContainText('Held, pay within');
  } finally {
    await request.post('/api/trpc/limit.reset', { data: level });
  }
});

test('twenty taps reach the shopper’s limit, and the dock keeps their outcome when Escape has closed it', async ({
  page,
}) => {
  const sale = salePage(page);
  await sale.openEmpty();
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/trpc/coupon.seckill')) statuses.push(response.status());
  });

  await sale.openDock();
  await sale.dock.getByRole('button', { name: 'Tap 20×' }).click();

  const outcome = '20 taps: 5 got through (you got one), 15 refused by your limit of 5 per 10 s.';
  await expect(sale.dock).toContainText(outcome);
  await sale.dock.getByText('Why?').click();
  await expect(sale.dock).toContainText('You have 5 tries in any 10 s, and all of them are used up.');
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '5');
  // Only calls that were decided before the first purchase charge this window.
  await expect(sale.everyone).toHaveAttribute('aria-valuenow', /^[1-5]$/);
  await expect(sale.next, 'the coupon is bought').toHaveText('Pay €9.90');
  await expect(
    page.getByRole('button', { name: /^Retry in \d+\ss/ }),
    'the buttons of the other coupons show the wait, too',
  ).not.toHaveCount(0);

  await sale.dock.getByRole('button', { name: 'Close' }).click();
  await expect(sale.opener).toBeFocused();
  await sale.opener.press('Enter');
  await expect(sale.dock).toContainText('20 taps:');
  await sale.next.focus();
  await page.keyboard.press('Escape');
  await expect(sale.dock).toBeHidden();
  await expect(sale.next, 'the focus outside of the dock stays').toBeFocused();
});

test('the dock switches the user and stays open, and Escape closes an expanded text before it', async ({
  page,
}) => {
  const sale = salePage(page);
  await sale.open();
  await sale.openDock();
  await sale.dock.getByRole('button', { name: /^Bram/ }).click();
  await expect(page.getByRole('button', { name: 'Signed in as Bram' })).toBeVisible();
  await expect(sale.dock.getByRole('button', { name: /^Bram/ })).toHaveAttribute('aria-current', 'true');

  const details = sale.dock.getByRole('group').filter({ hasText: 'The exact rule' });
  await details.getByText('The exact rule').press('Enter');
  await expect(details).toHaveAttribute('open');
  await page.keyboard.press('Escape');
  await expect(details).not.toHaveAttribute('open');
  await expect(sale.dock, 'one key closes one thing').toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sale.dock).toBeHidden();
  await expect(sale.opener).toBeFocused();
});

test.describe('on a phone', () => {
  test.use(phone);

  test('the dock takes half of the screen at most, above the bar with the button', async ({ page }) => {
    const sale = salePage(page);
    await sale.open();
    await expect(sale.opener).toBeInViewport({ ratio: 1 });
    await sale.openDock();
    await expect(sale.grab).toBeInViewport({ ratio: 1 });
    const dock = await sale.dock.boundingBox();
    const grab = await sale.grab.boundingBox();
    const height = page.viewportSize()?.height ?? 0;
    expect(dock?.height).toBeLessThanOrEqual(height / 2);
    expect((dock?.y ?? 0) + (dock?.height ?? 0)).toBeLessThanOrEqual(grab?.y ?? 0);
    await expect(sale.dock.getByRole('meter', { name: /left$/ })).toBeInViewport({ ratio: 1 });
    await expect(sale.dock.getByRole('button', { name: /^Send \d+ shoppers$/ })).toBeInViewport({ ratio: 1 });
  });

  test('the button in view is that of the coupon of the crowd, and a press shrinks the dock to its result', async ({
    page,
  }) => {
    const sale = salePage(page);
    await sale.openEmpty();
    await sale.openDock();
    const title = 'Bean of the week, 250 g, freshly roasted';
    await sale.dock.getByRole('combobox', { name: 'Coupon' }).selectOption({ label: title });
    await sale.dock.getByRole('button', { name: 'Send 150 shoppers' }).click();
    const grab = sale.coupon(title).getByRole('button').first();
    await expect(grab).toBeInViewport({ ratio: 1 });
    await expect(sale.grab, 'the bar of the featured coupon is hidden').not.toBeInViewport();
    await expect(sale.dock.getByText('Now press Grab')).toBeVisible();
    await grab.click();
    await expect(sale.dock.getByText('Now press Grab')).toBeHidden();
    await expect(sale.coupon(title).getByText('Very busy, not your fault')).toBeInViewport();
    await expect(sale.coupon(title).getByRole('button', { name: /^Join the queue/ })).toBeInViewport();
    await expect(sale.dock.getByText(/^150 shoppers: /)).toBeInViewport();
    expect((await sale.dock.boundingBox())?.height, 'the dock shows its result only').toBeLessThan(120);
    await sale.dock.getByRole('button', { name: 'Show all' }).click();
    await expect(sale.dock.getByRole('button', { name: /^Send \d+ shoppers$/ })).toBeVisible();
  });
});
