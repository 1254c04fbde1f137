import http from 'node:http';
import { finished } from 'node:stream/promises';
import { entryRoutes, firstLoadScripts } from '../scripts/lib/first-load.mjs';
import { expect, test } from './fixtures';
import { signInOperator } from './ops-page';

/** The console shows 404 for an undecodable address. */
test.use({ expectedStatuses: [404] });

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

test('the HTML of a page needs no second round trip on a new connection', async ({ baseURL, request }) => {
  for (const route of [...entryRoutes, '/lab', '/ops']) {
    if (route === '/ops') await signInOperator(request);
    const { cookies } = await request.storageState();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const bytes = await countReceivedBytes(new URL(route, baseURL), { cookie });
    expect(bytes, route).toBeLessThanOrEqual(FIRST_FLIGHT_BYTES - SPARE_BYTES);
  }
});

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

test('the sale shows numbers without Intl, whose first formatter blocks a phone for 0.1 s', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const record = { construct: recordCall, apply: recordCall };
    function recordCall(target: object, options: unknown): never {
      document.documentElement.dataset.formatter = JSON.stringify(options);
      throw new Error(`The page uses Intl.NumberFormat: ${String(target)}`);
    }
    Object.defineProperty(Intl, 'NumberFormat', { value: new Proxy(Intl.NumberFormat, record) });
  });
  await page.goto('/');
  await expect(page.getByText(/ of 10,000 left/)).toBeVisible();
  await expect(page.getByRole('meter', { name: 'Everyone’s tries' }).first()).toBeVisible();
  await expect(page.locator('html')).not.toHaveAttribute('data-formatter');
});

test('a visitor who reads one page requests no other page', async ({ page }) => {
  const prefetched: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('_rsc=')) prefetched.push(request.url());
  });
  await page.goto('/');
  await expect(page.getByRole('meter', { name: 'Everyone’s tries' }).first()).toBeVisible();
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
    const timeOf = async (sent?: { headers: Record<string, string> }): Promise<number> => {
      const startedAt = performance.now();
      await request.get(sent ? path : '/nope', sent);
      return performance.now() - startedAt;
    };
    // A busy machine slows both requests down. At least 30 ms, so that a pause in one of them does not count.
    const slowdown = async () => (await timeOf({ headers })) / Math.max(30, await timeOf());
    await expect.poll(slowdown, { message: path.slice(0, 20), intervals: [0] }).toBeLessThan(10);
  }
});

test('an undecodable address shows the not-found page', async ({ page }) => {
  await page.goto('/merchants/%FF');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
  await page.getByRole('link', { name: 'Go to the sale' }).click();
  await expect(page).toHaveURL('/');
});

test('the display face comes from the own origin, is cached for a year, and moves nothing when it is late', async ({
  page,
  request,
  baseURL,
}) => {
  await page.goto('/merchants');
  const faces = await page.evaluate(listFaces);
  const [face] = faces.filter(({ src }) => src.includes('url('));
  expect(face, 'the face is declared once').toBeDefined();
  expect(face?.display, 'a page that has painted without the face keeps its text').toBe('optional');

  const url = new URL(/url\("?([^")]+)/.exec(face?.src ?? '')?.[1] ?? '', `${baseURL}/_next/static/media/`);
  expect(url.origin).toBe(new URL(baseURL ?? '').origin);
  const file = await request.get(url.href);
  expect(file.status()).toBe(200);
  expect(file.headers()['cache-control']).toMatch(/^public, ?max-age=31536000, ?immutable$/);
  expect(file.headers()['content-type']).toBe('font/woff2');
  expect((await file.body()).length).toBeLessThanOrEqual(30_000);
  const policy = (await request.get('/merchants')).headers()['content-security-policy'] ?? '';
  expect(policy).toContain("font-src 'self'");
  expect(await page.evaluate(loadFace, face?.family ?? ''), 'the policy of the page allows the file').toBe(
    'loaded',
  );

  const fallback = faces.find(({ src }) => src.includes('local('));
  expect(fallback, 'the fallback has the widths and the heights of the face').toMatchObject({
    sizeAdjust: expect.stringMatching(/%$/),
    ascent: expect.stringMatching(/%$/),
  });
});

interface Face {
  family: string;
  src: string;
  display: string;
  sizeAdjust: string;
  ascent: string;
}

/** Runs in the page: returns the font faces of its style sheets. */
function listFaces(): Face[] {
  return [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .map(({ style }) => ({
      family: style.getPropertyValue('font-family'),
      src: style.getPropertyValue('src'),
      display: style.getPropertyValue('font-display'),
      sizeAdjust: style.getPropertyValue('size-adjust'),
      ascent: style.getPropertyValue('ascent-override'),
    }));
}

/** Runs in the page: returns the state of the face after it was requested. */
async function loadFace(family: string): Promise<string | undefined> {
  const [face] = await document.fonts.load(`700 16px ${family}`);
  return face?.status;
}
