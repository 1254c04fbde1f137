import type { Locator, Page } from '@playwright/test';
import { isFull } from '../test/property';
import { expect, test } from './fixtures';
import { operatorPaths } from './ops-page';
import { expectNoViolations } from './page-checks';

/** A wrong code is a 400, a code beyond the limit a 429, a page of operators a 401 or 403. */
test.use({ expectedStatuses: [400, 401, 403, 429] });

/** Locates parts of the sign-in page by roles and labels. */
function signInPage(page: Page) {
  return {
    email: page.getByRole('textbox', { name: 'E-mail address' }),
    send: page.getByRole('button', { name: /^Send me a code/ }),
    code: page.getByRole('textbox', { name: /^Code for/ }),
    signIn: page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }),
    resend: page.getByRole('button', { name: /new code/i }),
  };
}

/** Waits for the nth code of an address and returns it. */
async function mailedCode(page: Page, to: string, count = 1): Promise<string> {
  let codes: string[] = [];
  await expect(async () => {
    const mails: { to: string; code: string }[] = await (await page.request.get('/dev/mailbox.json')).json();
    codes = mails.filter((mail) => mail.to === to).map(({ code }) => code);
    expect(codes).toHaveLength(count);
  }).toPass();
  return codes[0] ?? '';
}

const otherThan = (code: string) => (code === '000000' ? '000001' : '000000');

test('a code by e-mail signs in and returns to the former page', async ({ page }) => {
  const { email, send, code, signIn } = signInPage(page);
  await page.goto('/wallet');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await email.fill(' Ada.Lovelace@Example.com ');
  await send.click();

  await expect(page.getByText('A code is on its way to Ada.Lovelace@Example.com.')).toBeVisible();
  await expect(code).toBeFocused();
  const digits = await mailedCode(page, 'ada.lovelace@example.com');
  await code.fill(`${digits.slice(0, 3)} ${digits.slice(3)}`);
  await signIn.click();

  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeVisible();
  await expect(page).toHaveURL('/wallet');
  await expect(page.getByRole('button', { name: 'Signed in as Ada Lovelace' })).toBeVisible();
});

test('a wrong code is explained next to the field with the remaining attempts, and the right one still signs in', async ({
  page,
}) => {
  const { email, send, code, signIn } = signInPage(page);
  await page.goto('/sign-in');
  await email.fill('grace@example.com');
  await send.click();
  const digits = await mailedCode(page, 'grace@example.com');

  await code.fill('12345');
  await signIn.click();
  await expect(code).toHaveAccessibleDescription(/Enter all six digits\./);
  await expectNoViolations(page);
  await expect(
    page.getByRole('meter', { name: 'Your attempts' }),
    'an incomplete code is not charged',
  ).toHaveCount(0);

  await code.fill(otherThan(digits));
  await signIn.click();
  await expect(code).toHaveAccessibleDescription(/That code didn’t work\..* 4 tries left\./);
  await expect(code).toBeFocused();
  await expect(page.getByRole('meter', { name: 'Your attempts' })).toHaveAttribute('aria-valuenow', '1');
  await expect(page.getByText('Room for 4 more')).toBeVisible();

  await code.fill(digits);
  await signIn.click();
  await expect(page.getByRole('button', { name: 'Signed in as Grace' })).toBeVisible();
  await expect(page).toHaveURL('/');
});

test('a wrong code moves nothing at any width, and its message replaces the green one', async ({ page }) => {
  const { email, send, code, signIn, resend } = signInPage(page);
  for (const width of isFull ? [320, 375, 1280] : [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto('/sign-in');
    // A page that is interactive has restored the address.
    await expect(email).toHaveValue(width === 320 ? '' : 'nobody');
    await email.fill(`still-${width}@example.com`);
    const before = await topOf(send);
    await send.click();
    const sent = page.getByText(`A code is on its way to still-${width}@example.com.`);
    await expect(sent).toBeVisible();
    const digits = await mailedCode(page, `still-${width}@example.com`);
    const tops = await Promise.all([code, signIn, resend].map(topOf));
    expect(tops[0], 'the field is on the first screen').toBeLessThan(400);
    const [again, other] = await Promise.all(
      [resend, page.getByRole('button', { name: 'Use another address' })].map((part) =>
        part.evaluate((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          const text = range.getBoundingClientRect();
          const box = node.getBoundingClientRect();
          return { box, isInside: box.left <= text.left && text.right <= box.right };
        }),
      ),
    );
    expect([again?.isInside, other?.isInside], 'each text is inside its button').toEqual([true, true]);

    await code.fill(otherThan(digits));
    await signIn.click();
    await expect(page.getByText('That code didn’t work.')).toBeVisible();
    await expect(sent).toBeHidden();
    await expect(page.getByRole('meter', { name: 'Your attempts' })).toBeVisible();
    expect(await Promise.all([code, signIn, resend].map(topOf))).toEqual(tops);

    await page.getByRole('button', { name: 'Use another address' }).click();
    await email.fill('nobody');
    await send.click();
    await expect(page.getByText('Enter a valid e-mail address')).toBeVisible();
    expect(await topOf(send)).toBe(before);
  }
});

/** Returns the distance of an element from the top of the page. */
function topOf(element: Locator): Promise<number> {
  return element.evaluate((node) => Math.round(node.getBoundingClientRect().top + window.scrollY));
}

test('the sixth attempt is refused with its limit, and the button counts down', async ({ page }) => {
  const { email, send, code, signIn, resend } = signInPage(page);
  await page.goto('/sign-in');
  await email.fill('guess@example.com');
  await send.click();
  const digits = await mailedCode(page, 'guess@example.com');

  const tries = page.getByRole('meter', { name: 'Your attempts' });
  for (const count of ['1', '2', '3', '4', '5']) {
    await code.fill(otherThan(digits));
    await signIn.click();
    await expect(tries).toHaveAttribute('aria-valuenow', count);
  }
  await expect(code).toHaveAccessibleDescription(/No tries are left for now\./);
  await code.fill(digits);
  await signIn.click();
  await expect(
    page.getByText('Limit for this e-mail address on your internet connection: 5 per 10 min'),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: /^Retry in \d+\smin\s\d\d\ss$/ })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await expect(resend, 'a new code would not work either').toHaveText(/^New code in \d+\smin\s\d\d\ss$/);
  await expect(resend).toHaveAttribute('aria-disabled', 'true');

  await page.reload();
  await expect(page.getByText('Too many tries. Try again when the countdown ends.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Retry in \d+\smin\s\d\d\ss$/ })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await expect(resend).toHaveAttribute('aria-disabled', 'true');
});

test('a code can be sent again three times a minute, which voids the earlier one', async ({ page }) => {
  const { email, send, code, signIn, resend } = signInPage(page);
  await page.goto('/sign-in');
  await email.fill('again@example.com');
  await send.click();
  const first = await mailedCode(page, 'again@example.com');
  const sent = page.getByRole('meter', { name: 'Codes sent' });
  await expect(sent).toHaveAttribute('aria-valuenow', '1');

  await resend.click();
  await expect(page.getByText('A new code is on its way to again@example.com.')).toBeVisible();
  await resend.click();
  await expect(sent).toHaveAttribute('aria-valuenow', '3');
  const last = await mailedCode(page, 'again@example.com', 3);
  await resend.click();
  await expect(page.getByText('Limit for this e-mail address: 3 per minute')).toBeVisible();
  await expect(resend).toHaveText(/^New code in \d+\ss$/);
  await expect(resend).toBeFocused();
  await expect(
    page.getByText('The last code sent to again@example.com is valid for 10 minutes.'),
    'a refusal does not hide which code is valid',
  ).toBeVisible();
  const refusal = await page.getByText('Limit for this e-mail address: 3 per minute').boundingBox();
  expect(refusal?.y, 'the refusal is below its button').toBeGreaterThan(
    (await resend.boundingBox())?.y ?? Number.POSITIVE_INFINITY,
  );

  if (first !== last) {
    await code.fill(first);
    await signIn.click();
    await expect(code).toHaveAccessibleDescription(/That code didn’t work\. Only the newest one is valid/);
  }
  await code.fill(last);
  await signIn.click();
  await expect(page.getByRole('button', { name: 'Signed in as Again' })).toBeVisible();
});

test('the address and the step stay when the language changes, the code does not', async ({ page }) => {
  const { email, send, code } = signInPage(page);
  await page.goto('/sign-in');
  await email.fill('hedy@example.com');
  await page.getByRole('link', { name: '中文' }).click();
  await expect(page.getByRole('textbox', { name: '邮箱' })).toHaveValue('hedy@example.com');
  await page.getByRole('link', { name: 'English' }).click();
  await send.click();
  await code.fill('12');

  await page.getByRole('link', { name: '中文' }).click();
  const again = page.getByRole('textbox', { name: 'hedy@example.com' });
  await expect(again).toHaveValue('');
  await expect(page.getByRole('link', { name: 'English' }), 'the focus stays on the link').toBeFocused();
  await again.fill(await mailedCode(page, 'hedy@example.com'));
  await again.press('Enter');
  await expect(page).toHaveURL('/');
  await page.goto('/sign-in');
  expect(await page.evaluate(() => sessionStorage.getItem('floodgate.sign-in'))).toBeNull();
});

test('another address can be entered, and an invalid one is explained before a code is sent', async ({
  page,
}) => {
  const { email, send, code } = signInPage(page);
  await page.goto('/sign-in');
  await email.fill('nobody');
  await send.click();
  await expect(email).toHaveAccessibleDescription(/Enter a valid e-mail address/);
  await expect(email).toBeFocused();

  await email.fill('typo@example.com');
  await send.click();
  await expect(code).toBeVisible();
  await page.getByRole('button', { name: 'Use another address' }).click();
  await expect(email).toBeFocused();
  await expect(email).toHaveValue('typo@example.com');
  await email.fill('right@example.com');
  await send.click();
  await expect(page.getByText('A code is on its way to right@example.com.')).toBeVisible();
});

test('a visitor signs in by keyboard, in Chinese, with the code from the demo mailbox', async ({ page }) => {
  await page.goto('/sign-in?lang=zh&next=/merchants');
  await page.getByRole('textbox', { name: '邮箱地址' }).focus();
  await page.keyboard.type('li.lei@example.com');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'li.lei@example.com 收到的验证码' })).toBeFocused();

  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: /演示邮箱/ }).focus();
  await page.keyboard.press('Enter');
  const mailbox = await opened;
  await expect(mailbox.getByRole('heading', { name: '演示邮箱' })).toBeVisible();
  const mail = mailbox.getByRole('listitem').filter({ hasText: 'li.lei@example.com' });
  const digits = (await mail.getByRole('code').textContent()) ?? '';
  await mailbox.close();

  await page.getByRole('textbox', { name: 'li.lei@example.com 收到的验证码' }).focus();
  await page.keyboard.type(digits);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: '已登录：Li Lei' })).toBeVisible();
  await expect(page).toHaveURL(/\/merchants$/);
});

test('an anonymous visitor gets the sign-in form, and a shopper is refused', async ({ page }) => {
  for (const path of operatorPaths) await expectAnswer(page, path, 401, 'Sign in as an operator');
  await page.request.post('/api/trpc/auth.signInDemo', { data: { name: 'Ada' } });
  for (const path of operatorPaths) await expectAnswer(page, path, 403, 'This page is for operators');
  await page.goto('/ops');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page is for operators');
  await expect(page.getByRole('banner').getByRole('link', { name: 'Ops' })).toBeHidden();
});

/** Expects the status and the title of a page that the server sends to this browser. */
async function expectAnswer(page: Page, path: string, status: number, title: string): Promise<void> {
  const answer = await page.request.get(path);
  expect(answer.status(), path).toBe(status);
  expect(await answer.text(), path).toMatch(new RegExp(`<h1[^>]*>${title}</h1>`));
}

test('after signing in, an operator returns to the requested page', async ({ page }) => {
  await page.goto('/ops');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign in as Dara' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Ops' })).toHaveAttribute(
    'aria-current',
    'page',
  );

  await page.getByRole('button', { name: 'Signed in as Dara' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { level: 1 }), 'the operator page is replaced').toHaveText(
    'Sign in as an operator',
  );
});
