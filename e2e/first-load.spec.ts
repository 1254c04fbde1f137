import http from 'node:http';
import { finished } from 'node:stream/promises';
import { entryRoutes, firstLoadScripts } from '../scripts/lib/first-load.mjs';
import { expect, test } from './fixtures';
import { signInOperator } from './ops-page';

test('the served HTML loads exactly the scripts of the budget', async ({ request }) => {
  for (const route of entryRoutes) {
    const html = await (await request.get(route)).text();
    const tags = [...html.matchAll(/<script\b[^>]*\bsrc="\/_next\/([^"]+)"[^>]*>/g)];
    const served = tags.filter(([tag]) => !/\bnomodule\b/i.test(tag)).map(([, path]) => path);
    expect(served.toSorted(), route).toEqual(firstLoadScripts(route).toSorted());
  }
});

/** What a server may send before the first acknowledgement: ten segments of 1,460 bytes (RFC 6928). */
const FIRST_FLIGHT_BYTES = 10 * 1_460;
/** Requests differ by up to 30 bytes: a token, counts, the state of coupons. */
const SPARE_BYTES = 100;

for (const route of [...entryRoutes, '/lab', '/ops']) {
  test(`${route}: the HTML needs no second round trip on a new connection`, async ({ baseURL, request }) => {
    if (route === '/ops') await signInOperator(request);
    const { cookies } = await request.storageState();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const bytes = await countReceivedBytes(new URL(route, baseURL), { cookie });
    expect(bytes).toBeLessThanOrEqual(FIRST_FLIGHT_BYTES - SPARE_BYTES);
  });
}

/** Requests a page as a browser does, on a connection of its own. Returns the bytes of the answer with its head. */
async function countReceivedBytes(url: URL, { cookie }: { cookie: string }): Promise<number> {
  const headers = { 'accept-encoding': 'gzip, deflate, br', ...(cookie !== '' && { cookie }) };
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(url, { headers, agent: false }, resolve).once('error', reject);
  });
  const { socket } = answer;
  await finished(answer.resume());
  expect(answer.headers['content-encoding']).toBe('br');
  return socket.bytesRead;
}

test('the icon is also at /favicon.ico', async ({ request }) => {
  const icon = await request.get('/favicon.ico');
  expect(icon.status()).toBe(200);
  expect(icon.headers()['content-type']).toBe('image/x-icon');
});

test('the sale shows numbers and dates without Intl, whose first formatter blocks a phone for 0.1 s', async ({
  page,
}) => {
  await page.addInitScript(() => {
    for (const name of ['NumberFormat', 'DateTimeFormat'] as const) {
      const record = { construct: recordCall, apply: recordCall };
      function recordCall(target: object, options: unknown): never {
        document.documentElement.dataset.formatter = `${name} ${JSON.stringify(options)}`;
        throw new Error(`The page uses Intl.${name}: ${String(target)}`);
      }
      Object.defineProperty(Intl, name, { value: new Proxy(Intl[name], record) });
    }
  });
  await page.goto('/');
  await expect(page.getByText(/ of 10,000 left/)).toBeVisible();
  await expect(page.getByRole('meter', { name: 'Everyone’s pace' }).first()).toBeVisible();
  await expect(page.locator('html')).not.toHaveAttribute('data-formatter');
});

test('a visitor who reads one page requests no other page', async ({ page }) => {
  const prefetched: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('_rsc=')) prefetched.push(request.url());
  });
  await page.goto('/');
  await expect(page.getByRole('meter', { name: 'Everyone’s pace' }).first()).toBeVisible();
  await page.goto('/lab', { waitUntil: 'networkidle' });
  expect(prefetched).toEqual([]);
});

test('the served HTML states the exact rule, not that there is none', async ({ request }) => {
  const html = await (await request.get('/')).text();
  const [, rule = ''] = html.split('<summary>The exact rule</summary>');
  const text = rule.slice(0, 600).replaceAll(/<[^>]*>/g, '');
  expect(text).toMatch(/^Up to 100 grabs in any 10\sseconds, 5\stries per shopper\./);
  expect(text).toContain('Each try counts for exactly the period of its limit');
});
