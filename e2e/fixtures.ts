import { test as base, type ConsoleMessage, expect, type Page } from '@playwright/test';
import { startBuiltServer } from '../test/services/built-server';
import { startPglite } from '../test/services/pglite';
import { startRedis } from '../test/services/redis';

/** HTTP refusals that a story provokes on purpose; the browser reports each as a console error. */
type ExpectedStatus = 400 | 401 | 403 | 404 | 409 | 429 | 503;

interface Fixtures {
  /** Statuses whose console errors this test expects: `test.use({ expectedStatuses: [429] })`. */
  expectedStatuses: ExpectedStatus[];
  /** Makes another page watch its console like the first: for stories with two tabs. */
  watchConsole: (page: Page) => void;
  /** A page of somebody else, in a browser of their own, whose console is watched as well. */
  otherPage: Page;
}

interface WorkerFixtures {
  /** Address of this worker's server in demo mode, on a Redis and a PGlite that no other worker uses. */
  demoUrl: string;
}

/**
 * Playwright's test with a page that fails it on any console error, console warning or uncaught error that the
 * story did not announce.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  demoUrl: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names out of this pattern.
    async ({}, use) => {
      const [redis, database] = await Promise.all([startRedis(), startPglite()]);
      const server = await startBuiltServer({
        REDIS_URL: redis.url,
        DATABASE_URL: database.url,
        FLOODGATE_PGLITE: '1',
        FLOODGATE_DEMO: '1',
        TRUSTED_PROXIES: '127.0.0.1',
      });
      await use(server.url);
      await server.stop();
      await Promise.all([redis.stop(), database.stop()]);
    },
    { scope: 'worker' },
  ],

  expectedStatuses: [[], { option: true }],

  baseURL: ({ demoUrl }, use) => use(demoUrl),

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names out of this pattern.
  extraHTTPHeaders: ({}, use) => use(fromNewAddress()),

  watchConsole: async ({ expectedStatuses }, use) => {
    const unexpected: string[] = [];
    await use((page) => {
      page.on('console', (message) => {
        if (isProblem(message) && !isExpected(message, expectedStatuses)) {
          unexpected.push(`console.${message.type()}: ${message.text()} (${message.location().url})`);
        }
      });
      page.on('pageerror', (error) => unexpected.push(`uncaught: ${error.stack ?? error.message}`));
    });
    expect(unexpected, 'unexpected browser output').toEqual([]);
  },

  page: async ({ page, watchConsole }, use) => {
    watchConsole(page);
    await use(page);
  },

  otherPage: async ({ browser, baseURL, watchConsole }, use) => {
    const visit = await browser.newContext({
      extraHTTPHeaders: fromNewAddress(),
      ...(baseURL !== undefined && { baseURL }),
    });
    const page = await visit.newPage();
    watchConsole(page);
    await use(page);
    await visit.close();
  },
});

export type { APIRequestContext } from '@playwright/test';
export { expect };

let addresses = 0;

/** The header of a proxy in front of a new address: the limits of one story's address are not spent by another story. */
function fromNewAddress(): { 'x-forwarded-for': string } {
  addresses += 1;
  return { 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses & 255}` };
}

function isProblem(message: ConsoleMessage): boolean {
  return message.type() === 'error' || message.type() === 'warning';
}

function isExpected(message: ConsoleMessage, statuses: ExpectedStatus[]): boolean {
  return statuses.some((status) =>
    message.text().includes(`Failed to load resource: the server responded with a status of ${status}`),
  );
}
