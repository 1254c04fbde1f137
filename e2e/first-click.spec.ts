import { expect, test } from './fixtures';

test('the first click shows that it counts before the page sends it', async ({ page }) => {
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
  await page.goto('/');
  await page.getByRole('button', { name: /^Grab/ }).first().click();
  await expect(page.locator('html')).toHaveAttribute('data-sent', 'true true');
});

test.describe('with motion', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('the frame that answers the first click starts no transition', async ({ page }) => {
    await page.goto('/');
    const grab = page.getByRole('button', { name: /^Grab/ }).first();
    await grab.hover();
    await grab.evaluate((button) => {
      button.addEventListener('transitionrun', () => {
        document.documentElement.dataset.moved = '';
      });
    });
    await grab.click();
    await expect(page.getByRole('link', { name: /^(Pay|In your wallet)/ }).first()).toBeVisible();
    await expect(page.locator('html')).not.toHaveAttribute('data-moved');
  });
});
