import type { Locator, Page } from '@playwright/test';
import { encode } from 'uqr';
import { expect, test } from './fixtures';
import { press, salePage, signInShopper } from './sale-page';

const tickets = (page: Page): Locator => page.getByRole('main').getByRole('article');

test('what is to be paid comes first with its deadline, and keeps its place and the focus when it is paid', async ({
  page,
}) => {
  const sale = salePage(page);
  await sale.open();
  await press(sale.grab, 'coupon.seckill');
  await expect(sale.gate).toContainText('Held, pay within');
  await press(page.getByRole('button', { name: /^Claim/ }).first(), 'coupon.claim');

  await page.goto('/wallet?cursor=none');
  await expect(tickets(page)).toHaveCount(2);
  await expect(page.getByText('Back to newest'), 'these are the newest').toHaveCount(0);
  const lead = page.getByRole('main').getByText('Pay what’s due, and show the rest at the till.');
  await expect(lead).toBeVisible();
  const headings = page.getByRole('main').getByRole('heading', { level: 2 });
  await expect(headings).toHaveText(['To pay', 'Show at the till']);
  const due = tickets(page).first();
  await expect(due, 'the newer claim comes second').toContainText(/1[45]:\d\d left to pay/);
  await expect(due.getByRole('code'), 'an unpaid order has no code').toHaveCount(0);
  const before = await due.getByRole('timer').textContent();
  await expect(due.getByRole('timer'), 'the countdown runs').not.toHaveText(before ?? '');

  await due.getByRole('button', { name: /^Pay €/ }).press('Enter');
  await expect(headings).toHaveText(['Just paid', 'Show at the till']);
  await expect(due, 'the paid ticket stays').toContainText('Ready to use');
  await expect(lead, 'nothing is due').toHaveCount(0);
  await expect(page.locator(':focus'), 'the focus is on the result').toContainText(
    'Your payment went through.',
  );
  await expect(page.getByRole('timer')).toHaveCount(0);
  await expect(due).toContainText(/Valid until \d+ \w+ \d{4}|Valid until \w+ \d+, \d{4}/);

  await test.step('the QR code has the content of the text', async () => {
    const code = (await due.getByRole('code').textContent()) ?? '';
    expect(code).toMatch(/\S{6,}/);
    const qr = due.getByRole('img', { name: `QR code of ${code}` });
    await expect(qr).toBeVisible();
    const modules = await qr.evaluate(modulesOf);
    expect(modules).toEqual(encode(code, { ecc: 'M', border: 4 }).data);
    const edge = [0, 1, 2, 3].flatMap((n) => [n, modules.length - 1 - n]);
    const quietZone = modules.flatMap((row, y) => row.filter((_, x) => edge.includes(x) || edge.includes(y)));
    expect(quietZone, 'the quiet zone of four modules').not.toContain(true);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect(qr, colorScheme).toHaveCSS('background-color', 'rgb(255, 255, 255)');
      await expect(qr, colorScheme).toHaveCSS('fill', 'rgb(16, 32, 42)');
    }
  });
  await page.reload();
  await expect(headings).toHaveText(['Show at the till']);
});

test('a press shows the code on the full screen of any device, and Escape returns to the ticket', async ({
  page,
}) => {
  await salePage(page).open();
  await press(page.getByRole('button', { name: /^Claim/ }).first(), 'coupon.claim');
  await page.goto('/wallet');
  const ticket = tickets(page).first();
  const code = (await ticket.getByRole('code').textContent()) ?? '';
  const enlarge = ticket.getByRole('button', { name: /Enlarge/ });
  const dialog = page.getByRole('dialog');
  for (const [name, viewport] of [
    ['a laptop', { width: 1440, height: 900 }],
    ['a phone', { width: 375, height: 667 }],
    ['a phone on its side', { width: 667, height: 375 }],
  ] as const) {
    await page.setViewportSize(viewport);
    // Its code loads after the page, and the end of a dialog is reported after it is gone: a press before that is lost.
    await expect(async () => {
      await enlarge.press('Enter');
      await expect(dialog).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expect(dialog).toContainText(code);
    await expect(dialog.getByRole('button', { name: 'Close' })).toBeFocused();
    const qr = dialog.getByRole('img', { name: `QR code of ${code}` });
    const box = await qr.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0), name).toBeGreaterThanOrEqual(240);
    await expect(qr, `the whole code is on the screen of ${name}`).toBeInViewport({ ratio: 1 });
    await page.keyboard.press(name === 'a laptop' ? 'Enter' : 'Escape');
    await expect(dialog).toHaveCount(0);
    await expect(enlarge).toBeFocused();
  }
});

test('an empty wallet shows a picture and leads to the sale, as a closed one leads to the sign-in', async ({
  page,
}) => {
  await page.goto('/wallet');
  const main = page.getByRole('main');
  await expect(main.getByRole('heading')).toHaveText('Sign in to see your wallet');
  await expect(main.locator('use')).toHaveAttribute('href', /#closed-wallet$/);
  await expect(main.getByRole('link')).toHaveAttribute('href', '/sign-in?next=/wallet');

  await signInShopper(page);
  await page.goto('/wallet');
  await expect(main.getByRole('heading')).toHaveText(['Wallet', 'Nothing here yet']);
  await expect(main.locator('use')).toHaveAttribute('href', /#empty-wallet$/);
  await main.getByRole('link').click();
  await expect(page).toHaveURL('/');
});

/** Runs in the page: returns the dark modules, by the colour in the middle of each. */
function modulesOf(svg: Element): boolean[][] {
  const size = Number(svg.getAttribute('viewBox')?.split(' ')[2]);
  const drawn = new Path2D(svg.querySelector('path')?.getAttribute('d') ?? '');
  const canvas = document.createElement('canvas').getContext('2d');
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => canvas?.isPointInPath(drawn, x + 0.5, y + 0.5) ?? false),
  );
}
