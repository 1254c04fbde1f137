import { expect, test } from './fixtures';
import { press, salePage } from './sale-page';

test.use({ expectedStatuses: [404] });

const nestedState = (levels: number): string =>
  levels === 1 ? '["",{}]' : `["",{"children":${nestedState(levels - 1)}}]`;

test('no malformed request causes a 5xx answer', async ({ request }) => {
  const stateHeaders = ['x', 'null', '%FF', '["",1]', nestedState(13)].map((state) => ({
    rsc: '1',
    'next-router-state-tree': state,
  }));
  for (const headers of stateHeaders) {
    expect((await request.get('/wallet', { headers })).status(), JSON.stringify(headers)).toBe(400);
  }
  for (const path of ['/merchants/%FF', '/merchants/%', '/_global-error', '/%FF', '/_next/static/%FF']) {
    expect((await request.get(path)).status(), path).toBe(404);
  }
  for (const action of ['x', '0'.repeat(42)]) {
    expect((await request.post('/', { headers: { 'next-action': action } })).status()).toBe(404);
  }
  expect((await request.post('/', { multipart: { $ACTION_ID_0: '' } })).status()).toBe(405);
});

test('a request head of 15 kB does not slow a node down', async ({ request }) => {
  const states = { rsc: '1', 'next-router-state-tree': nestedState(600) };
  const requests: [path: string, headers: Record<string, string>][] = [
    ['/nope', { 'user-agent': 'a'.repeat(15_000) }],
    ['/nope', { 'user-agent': 'a-'.repeat(7_500) }],
    ['/wallet', states],
    [`/x-${':'.repeat(14_000)}g`, states],
    [`/?x=1${'&x=1'.repeat(3_500)}`, {}],
  ];
  for (const [path, headers] of requests) {
    const times: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const startedAt = performance.now();
      await request.get(path, { headers });
      times.push(performance.now() - startedAt);
    }
    expect(Math.min(...times), path.slice(0, 20)).toBeLessThan(300);
  }
});

test('an undecodable address shows the not-found page', async ({ page }) => {
  await page.goto('/merchants/%FF');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
  await page.getByRole('link', { name: 'Go to the sale' }).click();
  await expect(page).toHaveURL('/');
});

test('a wallet with an invalid cursor shows the newest orders', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await press(sale.grab, 'coupon.seckill');
  await expect(sale.gate).toContainText('Held, pay within');
  for (const cursor of ['x', 'bnVsbA', 'x'.repeat(600)]) {
    expect((await page.goto(`/wallet?cursor=${cursor}`))?.status()).toBe(200);
    await expect(page.getByRole('listitem').filter({ hasText: 'hotpot' })).toBeVisible();
  }
});
