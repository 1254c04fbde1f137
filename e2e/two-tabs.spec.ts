import type { BrowserContext, Page, Request } from '@playwright/test';
import { expect, test } from './fixtures';
import { press, salePage } from './sale-page';

test.use({ expectedStatuses: [409] });

test.beforeEach(({ context, watchConsole }) => {
  context.on('page', watchConsole);
});

const me = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** Signs in through the page, as a visitor does. */
async function signInAs(page: Page, name: string): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('button', { name: `Sign in as ${name}` }).click();
  await expect(me(page, `Signed in as ${name}`)).toBeVisible();
}

/** Replaces the session of the browser without any tab noticing. */
async function signInUnnoticed(context: BrowserContext, name: string): Promise<void> {
  const reply = await context.request.post('/api/trpc/auth.signInDemo', { data: { name } });
  expect(reply.status()).toBe(200);
}

async function readOrders(page: Page): Promise<unknown[]> {
  const { result } = await (await page.request.get('/api/trpc/order.list')).json();
  return result.data.orders;
}

/** Holds back the messages between tabs, as for a tab that the browser has frozen. */
async function holdMessages(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const receive = BroadcastChannel.prototype.addEventListener;
    BroadcastChannel.prototype.addEventListener = function (this: BroadcastChannel, ...args: never[]) {
      if (this.name !== 'floodgate:user') Reflect.apply(receive, this, args);
    };
  });
}

for (const isFrozen of [false, true]) {
  test(`a guest of one tab is the same guest in ${isFrozen ? 'a frozen' : 'another'} tab that was open before`, async ({
    page,
    context,
  }) => {
    const here = salePage(page);
    await here.open();
    const second = await context.newPage();
    if (isFrozen) await holdMessages(second);
    const there = salePage(second);
    await there.open();
    await press(here.grab, 'coupon.seckill');
    await expect(here.gate).toContainText('Held, pay within');
    const guest = await me(page, /^Signed in as/).textContent();

    if (!isFrozen) await expect(me(second, /^Signed in as/)).toHaveText(guest ?? '');
    await press(second.getByRole('button', { name: /^Claim/ }).first(), 'coupon.claim');
    await expect(me(second, /^Signed in as/)).toHaveText(guest ?? '');
    await second.goto('/wallet');
    await expect(second.getByRole('main').getByRole('article'), 'of both tabs').toHaveCount(2);
  });
}

test('two tabs that start a guest account at once end with one', async ({ page, context }) => {
  const second = await context.newPage();
  const tabs = [page, second];
  const created = new Set<string>();
  for (const tab of tabs) {
    await salePage(tab).open();
    tab.on('response', async (response) => {
      if (!response.url().includes('auth.signInDemo')) return;
      created.add((await response.json()).result.data.user.id);
    });
  }
  await Promise.all(
    tabs.map((tab) => press(tab.getByRole('button', { name: /^Claim/ }).first(), 'coupon.claim')),
  );
  await expect(me(page, /^Signed in as/)).toBeVisible();
  await expect(me(second, /^Signed in as/)).toHaveText(
    (await me(page, /^Signed in as/).textContent()) ?? 'no name',
  );
  expect(created.size).toBe(1);
  await expect(async () => expect(await readOrders(page)).toHaveLength(2)).toPass();
});

test('a tab that shows Ada shows Bram, his limits and his wallet, once he has signed in in another tab', async ({
  page,
  context,
}) => {
  await signInAs(page, 'Ada');
  await page.goto('/');
  await press(page.getByRole('button', { name: /^Claim/ }).first(), 'coupon.claim');
  await expect(salePage(page).own('Claiming')).not.toHaveAttribute('aria-valuenow', '0');
  const second = await context.newPage();
  await signInAs(second, 'Bram');

  await expect(me(page, 'Signed in as Bram')).toBeVisible();
  await expect(page.getByRole('main').getByRole('status').first()).toHaveText(
    'This browser is now signed in as Bram, and so is this page.',
  );
  await expect(salePage(page).own('Claiming')).toHaveAttribute('aria-valuenow', '0');
  await page.getByRole('link', { name: 'Wallet' }).first().click();
  await expect(page.getByText('Nothing here yet')).toBeVisible();
  await expect(page.getByText('This browser is now'), 'until another page opens').toHaveCount(0);

  await me(second, 'Signed in as Bram').click();
  await second.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to see your wallet' })).toBeVisible();
  await expect(page.getByText('This browser is now signed out, and so is this page.')).toBeVisible();
});

test('a click in a tab that still shows Ada buys nothing for Chen', async ({ page, context }) => {
  await signInAs(page, 'Ada');
  await page.goto('/');
  await expect(salePage(page).grab).toHaveText('Grab');
  // Queries wait, so that the click is the first call after the change.
  const claim = page.waitForResponse(/coupon\.claim/);
  await page.route('**/api/trpc/**', async (route) => {
    if (route.request().method() === 'GET') await claim;
    await route.continue();
  });
  await signInUnnoticed(context, 'Chen');
  const before = await readOrders(page);
  await page
    .getByRole('button', { name: /^Claim/ })
    .first()
    .click();
  const refused = await claim;
  expect(refused.status()).toBe(409);
  expect(refused.headers()['floodgate-user']).not.toBe(refused.request().headers()['floodgate-user']);
  expect((await refused.json()).error.message).toContain('Another user is signed in');
  await expect(me(page, 'Signed in as Chen')).toBeVisible();
  expect(await readOrders(page)).toEqual(before);

  await press(page.getByRole('button', { name: /^Claim/ }).first(), 'coupon.claim');
  expect(await readOrders(page), 'the next click is Chen’s').toHaveLength(before.length + 1);
});

test('a link of a tab that still shows Ada never lists the wallet of another shopper under her name', async ({
  page,
  context,
}) => {
  await signInAs(page, 'Ada');
  await page.goto('/merchants');
  const confirmed: Request[] = [];
  await page.route('**/api/trpc/auth.me*', async (route) => {
    confirmed.push(route.request());
    await expect(page.getByText(/Nothing here yet/), 'not before the header shows its owner').toHaveCount(0);
    await route.continue();
  });
  await signInUnnoticed(context, 'Vera');
  await page.getByRole('link', { name: 'Wallet' }).first().click();
  await expect(me(page, 'Signed in as Vera')).toBeVisible();
  await expect(page.getByText('Nothing here yet')).toBeVisible();
  expect(confirmed).not.toEqual([]);
});

test('signing out in a tab that shows Ada does not sign Bram out', async ({ page, context }) => {
  await signInAs(page, 'Ada');
  await page.goto('/merchants');
  await me(page, 'Signed in as Ada').click();
  const signOut = page.getByRole('button', { name: 'Sign out' });
  await expect(signOut).toBeVisible();
  await signInUnnoticed(context, 'Bram');
  await press(signOut, 'auth.signOut');
  await expect(me(page, 'Signed in as Bram')).toBeVisible();
  const { result } = await (await page.request.get('/api/trpc/auth.me')).json();
  expect(result.data.user.name).toBe('Bram');
});
