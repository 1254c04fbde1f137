import { expect, test } from './fixtures';
import { press, salePage } from './sale-page';

test.use({ expectedStatuses: [429] });

test('presses announce their own results, and nothing about everyone', async ({ page }) => {
  // A busy browser runs timers late.
  await page.addInitScript(() => {
    const start = window.setTimeout;
    const startLate = (run: TimerHandler, ms = 0, ...args: unknown[]) =>
      start(run, Math.max(ms, 50), ...args);
    window.setTimeout = Object.assign(startLate, start);
  });
  const sale = salePage(page);
  await sale.openEmpty();
  await page.evaluate(() => {
    const said: string[] = [];
    Reflect.set(window, 'said', said);
    const last = new WeakMap<Element, string>();
    for (const status of document.querySelectorAll('[role="status"]'))
      last.set(status, status.textContent ?? '');
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        const status = element?.closest('[role="status"]');
        const text = status?.textContent ?? '';
        if (!status || text === last.get(status)) continue;
        last.set(status, text);
        if (text !== '') said.push(text);
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });

  const popcorn = sale.coupon('Large popcorn with any ticket');
  for (const count of ['1', '2', '3']) {
    await press(popcorn.getByRole('button'), 'coupon.claim');
    await expect(sale.own('Claiming')).toHaveAttribute('aria-valuenow', count);
  }
  await expect(popcorn.getByRole('button')).toHaveText(/^Retry in \d+\ss$/);
  const readSaid = (): Promise<string[]> => page.evaluate(() => Reflect.get(window, 'said'));
  await expect
    .poll(async () => (await readSaid()).filter((text) => text.startsWith('Your pace')))
    .toEqual(['Your pace: 3 of 3 in the last minute, full']);
  const said = await readSaid();
  expect(said.filter((text) => /everyone/i.test(text))).toEqual([]);
  // An order that is written slowly is announced as such before its result. A card that is hydrated late changes the
  // time of its opening to that of the browser.
  const results = said.filter((text) => !/^(You got it\.|Opens automatically)/.test(text));
  expect(results.length, said.join('\n')).toBe(4);
});
