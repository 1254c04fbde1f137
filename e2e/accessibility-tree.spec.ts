import { expect, test } from './fixtures';
import { opsPage } from './ops-page';
import { salePage } from './sale-page';

/** The states below as assistive technology reads them. A line that is not listed may be there, too. */

test('a flash coupon is read from its title to its result', async ({ page }) => {
  const sale = salePage(page);
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
    - article "Charcoal hotpot dinner for two":
      - text: On sale
      - heading "Charcoal hotpot dinner for two" [level=2]
      - paragraph:
        - link "Ember & Stone Hotpot"
        - text: Restaurant · 21 Ferry Street, Old Harbour
      - paragraph:
        - strong: €9.90
        - text: instead of €50
      - paragraph: /\\d+ of \\d+ left Ends in .+/
      - meter /\\d+ of \\d+ left/
      - button "Grab Charcoal hotpot dinner for two": Grab
      - status: One coupon per shopper.
  `);
  await sale.grab.click();
  await expect(sale.gate).toMatchAriaSnapshot(`
    - article "Charcoal hotpot dinner for two":
      - meter /\\d+ of \\d+ left/
      - link "Pay €9.90 Charcoal hotpot dinner for two": Pay €9.90
      - status:
        - strong:
          - text: Held, pay within
          - timer: /14:\\d\\d/
        - text: It’s yours once you pay. If you don’t, it goes back on sale.
  `);

  await page.goto('/wallet');
  const ticket = page.getByRole('article', { name: 'Charcoal hotpot dinner for two' });
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - heading "Wallet" [level=1]
    - list:
      - listitem:
        - heading "To pay" [level=2]
  `);
  await expect(ticket).toMatchAriaSnapshot(`
    - article "Charcoal hotpot dinner for two":
      - status: Payment due
      - heading "Charcoal hotpot dinner for two" [level=3]
      - paragraph:
        - timer: /14:\\d\\d/
        - text: left to pay
      - paragraph: Your code appears once you pay.
      - combobox "Demo card"
      - button "Pay €9.90"
      - button "Cancel order"
  `);
  await ticket.getByRole('button', { name: 'Pay €9.90' }).click();
  await expect(ticket).toMatchAriaSnapshot(`
    - article "Charcoal hotpot dinner for two":
      - status: Ready to use
      - heading "Charcoal hotpot dinner for two" [level=3]
      - code: /[A-Z0-9]{10}/
      - button:
        - img /QR code of [A-Z0-9]{10}/
  `);
});

test('a result of the lab is read lane by lane', async ({ page }) => {
  const lanes = page.getByRole('region', { name: 'At most 10 per 10 s' });
  // A new server decides the example after its first page.
  await expect(async () => {
    await page.goto('/lab');
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
});

test('the dialog of a limit is read with its name, fields and buttons', async ({ page }) => {
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  await ops.openLimit('merchant', 'Each IP address');
  await expect(ops.limitDialog).toMatchAriaSnapshot(`
    - 'heading "Change limit: Merchant search, Each IP address" [level=2]'
    - paragraph:
      - code: merchant
    - form "Change limit of Merchant search":
      - spinbutton "Limit (calls)": "5"
      - paragraph: Now 5
      - spinbutton "Window": "1"
      - paragraph: Now 1 s
      - combobox "Unit"
      - group "Mode (now Enforced)":
        - radio "Enforced" [checked]
        - radio "Shadow"
        - radio "Off"
      - textbox "Reason (optional, for the log)"
      - region "Impact"
      - button "Apply" [disabled]
      - button "Cancel"
  `);
});
