import { expect, test } from './fixtures';
import { expectNoViolations, holdScripts } from './page-checks';
import { press, salePage, signInShopper } from './sale-page';

test('a new visitor holds a coupon after one click, pays it in the wallet after two, and each state is read in full', async ({
  page,
}) => {
  const sale = salePage(page);
  const title = 'Charcoal hotpot dinner for two';

  await test.step('the sale, as assistive technology reads it; a line that is not listed may be there, too', async () => {
    await sale.open();
    await expect(page.getByRole('banner')).toMatchAriaSnapshot(`
      - link "Floodgate home"
      - navigation "Main":
        - link "Sale"
        - link "Merchants"
        - link "Wallet"
        - link "Lab"
      - link "中文"
      - 'button "Theme: system"'
      - link "Sign in"
    `);
    await expect(sale.gate).toMatchAriaSnapshot(`
      - article "${title}":
        - text: On sale
        - heading "${title}" [level=2]
        - paragraph:
          - link "Ember & Stone Hotpot"
          - text: Restaurant · 21 Ferry Street, Old Harbour
        - paragraph:
          - strong: €9.90
          - text: instead of €50
        - paragraph: /\\d+ of \\d+ left Ends in .+/
        - meter /\\d+ of \\d+ left/
        - button "Grab ${title}": Grab
        - status: One coupon per shopper.
    `);
  });

  await test.step('one click holds the coupon', async () => {
    await sale.grab.click();
    await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '1');
    await expect(sale.gate).toMatchAriaSnapshot(`
      - article "${title}":
        - meter /\\d+ of \\d+ left/
        - link "Pay €9.90 ${title}": Pay €9.90
        - status:
          - strong:
            - text: Held, pay within
            - timer: /14:\\d\\d/
          - text: It’s yours once you pay. If you don’t, it goes back on sale.
    `);
    await expect(sale.gate.getByRole('code'), 'no code before it is paid').toHaveCount(0);
    await expect(page.getByRole('button', { name: /^Signed in as/ })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Wallet, 1 to pay, 1 coupon', exact: true })).toBeVisible();
  });

  await test.step('it cannot be grabbed again, also after a reload', async () => {
    const html = await (await page.request.get('/')).text();
    expect(html, 'the server renders it').toContain('Pay €9.90');
    await page.reload();
    await expect(sale.next).toHaveText('Pay €9.90');
    await expect(sale.gate).toContainText(/Held, pay within 1[45]:\d\d/);
    await expect(sale.gate.getByRole('button', { name: /^Grab/ })).toHaveCount(0);
  });

  await test.step('the link to the wallet counts the coupons to pay', async () => {
    const coffee = sale.coupon('Filter coffee before ten');
    await press(coffee.getByRole('button'), 'coupon.claim');
    await expect(coffee).toContainText('It’s yours.');
    await expect(page.getByRole('link', { name: 'Wallet, 1 to pay, 2 coupons', exact: true })).toHaveText(
      /^Wallet\s*1$/,
      { useInnerText: true },
    );
    await expectNoViolations(page);
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
    await expectNoViolations(page);
    await page.keyboard.press('Escape');
  });

  await test.step('the second click pays', async () => {
    await sale.next.click();
    const ticket = page.getByRole('article', { name: title });
    await expect(page.getByRole('heading', { name: 'Wallet', level: 1 })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'To pay', level: 2 })).toBeVisible();
    await expect(ticket).toMatchAriaSnapshot(`
      - article "${title}":
        - status: Payment due
        - heading "${title}" [level=3]
        - paragraph:
          - timer: /14:\\d\\d/
          - text: left to pay
        - paragraph: Your code appears once you pay.
        - combobox "Demo card"
        - button "Pay €9.90"
        - button "Cancel order"
    `);
    expect(new URL(page.url()).hash, 'the link leads to the order').toBe(
      `#${await ticket.getAttribute('id')}`,
    );
    await expectNoViolations(page);
    await ticket.getByRole('button', { name: 'Pay €9.90' }).click();
    await expect(ticket).toMatchAriaSnapshot(`
      - article "${title}":
        - status: Ready to use
        - heading "${title}" [level=3]
        - code: /[A-Z0-9]{10}/
        - button:
          - img /QR code of [A-Z0-9]{10}/
    `);
    await expectNoViolations(page);
    const code = (await ticket.getByRole('code').textContent()) ?? '';
    await page.getByRole('link', { name: 'Sale', exact: true }).click();
    await expect(sale.next, 'a paid coupon leads to the wallet').toHaveText('In your wallet');
    await expect(sale.gate.getByRole('code')).toHaveText(code);
  });
});

test.describe('with default settings', () => {
  test.use({ expectedStatuses: [429] });

  test('a first visitor meets a refusal and the queue, and pays a coupon, within 90 s of the first load', async ({
    page,
  }) => {
    const sale = salePage(page);
    // An earlier test of this server may have filled the window or sold the coupon.
    await sale.openEmpty();
    const startedAt = performance.now();
    await page.goto('/');
    await sale.openDock();
    await sale.dock.getByRole('button', { name: 'Send 150 shoppers' }).click();
    await expect(sale.dock.getByText('Now press Grab')).toBeVisible();
    await sale.grab.click();
    await expect(sale.gate).toContainText('Very busy, not your fault');
    // The place lasts until the oldest try leaves, which may be before the page is read again.
    const joined = page.waitForResponse((response) => response.url().includes('/api/trpc/coupon.seckill'));
    await sale.gate.getByRole('button', { name: /^Join the queue/ }).click();
    expect((await (await joined).json()).result.data).toMatchObject({
      outcome: 'queued',
      ticket: { position: 1 },
    });
    await expect(sale.gate).toContainText('Held, pay within');
    const ticket = page.getByRole('article').filter({ has: page.getByRole('button', { name: /^Pay €/ }) });
    await sale.openOrder();
    await ticket.getByRole('button', { name: /^Pay €/ }).click();
    await expect(page.getByRole('code').first()).toBeVisible();
    expect(performance.now() - startedAt).toBeLessThan(90_000);
  });
});

test('a coupon that another tab has bought is shown, and nothing is bought again', async ({
  page,
  watchConsole,
}) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.open();
  await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }));
  const other = await page.context().newPage();
  watchConsole(other);
  const there = salePage(other);
  await there.open();
  await press(there.grab, 'coupon.seckill');
  await expect(there.next).toBeVisible();

  await sale.grab.click();
  await expect(sale.gate).toContainText(
    'You grabbed this one before. It’s yours once you pay. If you don’t, it goes back on sale.',
  );
  await expect(sale.next).toHaveText('Pay €9.90');
});

test('the card answers a click in the next frame, and the page sends it after that', async ({ page }) => {
  await page.addInitScript(() => {
    const send = window.fetch;
    let frames = 0;
    /** Counts the frames since the click. */
    function countFrames(): void {
      requestAnimationFrame(() => {
        frames += 1;
        countFrames();
      });
    }
    document.addEventListener('click', () => {
      frames = 0;
      countFrames();
    });
    window.fetch = (input, init) => {
      const isBusy = document.querySelector('button[aria-busy="true"]') !== null;
      if (init?.method === 'POST') document.documentElement.dataset.sent ??= `${isBusy} ${frames > 0}`;
      return send(input, init);
    };
  });
  const sale = salePage(page);
  await sale.open();
  await page.waitForFunction(() => window.earlyClicks === null);
  // No request is answered: a refused one could fail before the frame.
  await page.route('**/api/trpc/**', () => undefined);
  const text = await sale.grab.evaluate(async (button: HTMLElement) => {
    button.click();
    await new Promise(requestAnimationFrame);
    return button.textContent;
  });
  expect(text).toBe('Sending…');
  await expect(page.locator('html')).toHaveAttribute('data-sent', 'true true');
});

test('a click before the page is interactive is kept, and sent once', async ({ page }) => {
  const sale = salePage(page);
  const release = await holdScripts(page);
  const calls: string[] = [];
  page.on('request', (request) => request.url().includes('coupon.seckill') && calls.push(request.url()));
  await page.goto('/', { waitUntil: 'commit' });

  await sale.grab.click();
  await sale.grab.press('Enter');
  await expect(sale.grab, 'the button shows that it was pressed').toHaveCSS('opacity', '0.7');
  release();

  await expect(sale.gate).toContainText('Held, pay within');
  expect(calls).toHaveLength(1);
});

test('the menu of the user opens if it was pressed before the page is interactive', async ({ page }) => {
  await signInShopper(page);
  const release = await holdScripts(page);
  await page.goto('/', { waitUntil: 'commit' });
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  release();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
});

test('a call with a lost reply is retried: one purchase, one charge', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  const requestIds: string[] = [];
  await page.route('**/api/trpc/coupon.seckill*', async (route) => {
    requestIds.push(String(route.request().postDataJSON().requestId));
    const reply = await route.fetch();
    if (requestIds.length === 1) await route.fulfill({ status: 200, body: '' });
    else await route.fulfill({ response: reply });
  });

  await sale.grab.click();

  await expect(sale.gate).toContainText(/Held, pay within|It’s yours/);
  await expect.poll(() => requestIds, 'the live feed may show the order before the retry').toHaveLength(2);
  expect(new Set(requestIds).size).toBe(1);
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '1');
});

test('a ticket travels to the wallet within 700 ms and delays nothing, or none with reduced motion', async ({
  page,
}) => {
  const sale = salePage(page);
  const flights = () => page.evaluate(listFlights);
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    await page.context().clearCookies();
    await page.emulateMedia({ reducedMotion });
    await sale.open();
    await page.evaluate(watchFlights);
    await sale.grab.hover();
    await sale.grab.evaluate((button) => {
      button.addEventListener('transitionrun', () => {
        document.documentElement.dataset.moved = '';
      });
    });
    await sale.grab.click();
    await expect(sale.next, 'the focus moves at once').toBeFocused();
    await expect(page.locator('html'), 'the frame that answers starts no transition').not.toHaveAttribute(
      'data-moved',
    );
    await expect(sale.gate.getByRole('status')).toContainText('Held, pay within');
    const expected = reducedMotion === 'reduce' ? [] : [expect.any(Number)];
    await expect.poll(flights).toEqual(expected);
    for (const duration of await flights()) expect(duration).toBeLessThanOrEqual(700);
    await expect(page.locator('body > [aria-hidden="true"]'), 'the ticket is removed').toHaveCount(0);
  }
});

/** Runs in the page: records the duration of animations that a script starts on a child of the body. */
function watchFlights(): void {
  const animate = Element.prototype.animate;
  const durations: number[] = [];
  Object.assign(window, { flights: durations });
  Element.prototype.animate = function record(keyframes, options) {
    if (this.parentElement === document.body && typeof options === 'object') {
      durations.push(Number(options.duration));
    }
    return animate.call(this, keyframes, options);
  };
}

/** Runs in the page. */
function listFlights(): number[] {
  return 'flights' in window && Array.isArray(window.flights) ? window.flights : [];
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  for (const { language, line, limits } of [
    {
      language: 'en',
      line: /^JavaScript is off in this browser\./,
      limits: /Up to 100 grabs .* 5\stries per shopper/,
    },
    { language: 'zh', line: /^浏览器已关闭 JavaScript。/, limits: /10.*100.*5/ },
  ]) {
    test(`the sale says so, states its limits and has no button that does nothing, in ${language}`, async ({
      page,
    }) => {
      await page.goto(`/?lang=${language}`);
      await expect(page.getByRole('article').first()).toBeVisible();
      await expect(page.locator('noscript > *').filter({ hasText: line })).toBeVisible();
      const group = page
        .locator('section')
        .filter({ has: page.getByRole('group') })
        .locator('noscript p');
      await expect(group.first()).toHaveText(limits);
      await expect(group.first()).toBeVisible();
      await expect(page.getByRole('main').getByRole('button')).toHaveCount(0);
    });
  }
});
