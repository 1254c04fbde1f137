/**
 * Creates the scene of the pictures from clicks of a visitor: a crowd comes, everyone's window fills, and a visitor who
 * taps too fast is refused and later admitted.
 *
 * @param {import('playwright').Page} page
 */
export function createCrowdScene(page) {
  const gate = page.getByRole('region', { name: 'Featured coupon' });
  const grab = gate.getByRole('button').first();
  const windows = page.getByRole('region', { name: 'Grabbing' });
  const everyone = windows.getByRole('meter', { name: 'Everyone’s pace' });

  return {
    /** Opens the sale as a signed-in demo shopper, so that every window counts. */
    async enter() {
      await page.goto('/sign-in?lang=en');
      await page.getByRole('button', { name: 'Sign in as Ada' }).click();
      await gate.waitFor();
      await everyone.waitFor();
    },

    /** Sends a crowd slightly larger than the limit, spread over the whole window, to a coupon with enough stock. */
    async sendCrowd() {
      await page.getByRole('button', { name: 'Try the flood' }).click();
      await page
        .getByRole('combobox', { name: 'Coupon' })
        .selectOption({ label: 'Bean of the week, 250 g, freshly roasted' });
      await page.getByRole('radio', { name: '150' }).check();
      await page.getByRole('radio', { name: 'over 10 s' }).check();
      await page.getByRole('button', { name: 'Send the crowd' }).click();
      await page.keyboard.press('Escape');
      // The button, its result and the meters next to it share one view.
      await gate.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    },

    /** @param {number} count  The number of hits in everyone's window. */
    async waitUntilTaken(count) {
      await page.waitForFunction(isTaken, { meter: await everyone.elementHandle(), count });
    },

    /** Waits until the page shows refused shoppers. */
    async waitUntilCrowdIsRefused() {
      await windows.getByText(/^\d\d refused$/).waitFor();
    },

    /** Clicks after calls for a coupon that is not on sale have filled the visitor's own window. */
    async grabTooOften() {
      await page.evaluate(callForClosedCoupon, 5);
      const answer = page.waitForResponse((response) => response.url().includes('coupon.seckill'));
      await grab.click();
      await answer;
      await page.getByText('Too fast: 5 tries per 10 s').waitFor();
    },

    async waitUntilOpen() {
      await page.getByRole('button', { name: /^Grab/ }).first().waitFor();
    },
  };
}

/**
 * Runs in the page.
 *
 * @param {{ meter: Element | null, count: number }} wanted
 */
function isTaken({ meter, count }) {
  return Number(meter?.getAttribute('aria-valuenow')) >= count;
}

/**
 * Runs in the page.
 *
 * @param {number} times
 */
async function callForClosedCoupon(times) {
  const { result } = await (await fetch('/api/trpc/coupon.list')).json();
  const closed = result.data.coupons.find(
    (/** @type {{ kind: string, state: string }} */ { kind, state }) =>
      kind === 'seckill' && state !== 'live',
  );
  for (let call = 0; call < times; call += 1) {
    await fetch('/api/trpc/coupon.seckill', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ couponId: closed.id }),
    });
  }
}
