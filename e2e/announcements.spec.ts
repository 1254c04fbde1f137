import { expect, test } from './fixtures';
import { press, salePage } from './sale-page';

test.use({ expectedStatuses: [429] });

test('presses announce their own results, and nothing about everyone', async ({ page }) => {
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

  for (let click = 1; click <= 5; click += 1) await press(sale.grab, 'coupon.seckill');
  await press(sale.grab, 'coupon.seckill');
  await expect(sale.gate).toContainText('Too fast: 5 tries per 10 s');
  const said: string[] = await page.evaluate(() => Reflect.get(window, 'said'));
  expect(said.filter((text) => /everyone/i.test(text))).toEqual([]);
  expect(said.filter((text) => text.startsWith('Your pace'))).toEqual([
    'Your pace: 5 of 5 in the last 10 s, full',
  ]);
  expect(said.length, said.join('\n')).toBeLessThanOrEqual(7);
});
