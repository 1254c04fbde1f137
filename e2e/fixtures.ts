import { test as base, type ConsoleMessage, devices, expect, type Page } from '@playwright/test';
import { startBuiltServer } from '../test/services/built-server';
import { startPostgres } from '../test/services/postgres';
import { startRedis } from '../test/services/redis';

/** HTTP errors that a test causes on purpose. The browser reports each as a console error. */
type ExpectedStatus = 400 | 401 | 403 | 404 | 409 | 429 | 503;

interface Fixtures {
  /** Statuses whose console errors this test expects: `test.use({ expectedStatuses: [429] })`. */
  expectedStatuses: ExpectedStatus[];
  /** Fails the test on unexpected console output of another page, for tests with two tabs. */
  watchConsole: (page: Page) => void;
  /** The page of another visitor in a separate browser context. Its console is also watched. */
  otherPage: Page;
}

interface WorkerFixtures {
  /** The address of this worker's server in demo mode, on private databases. */
  demoUrl: string;
}

/**
 * Playwright's test, which also fails on unexpected console errors, console warnings and uncaught errors.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  demoUrl: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from this pattern.
    async ({}, use) => {
      const [redis, database] = await Promise.all([startRedis(), startPostgres()]);
      const server = await startBuiltServer({
        REDIS_URL: redis.url,
        DATABASE_URL: database.url,
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

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from this pattern.
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

export { expect };

const { defaultBrowserType: _, ...iPhone } = devices['iPhone SE'] ?? {};
/** A small phone, for `test.use(phone)`. */
export const phone = iPhone;

let addresses = 0;

/** Returns the proxy header of a new address, so that tests do not share limits per address. */
function fromNewAddress(): { 'x-forwarded-for': string } {
  addresses += 1;
  return { 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses & 255}` };
}

function isProblem(message: ConsoleMessage): boolean {
  return message.type() === 'error' || message.type() === 'warning';
}

function isExpected(message: ConsoleMessage, statuses: ExpectedStatus[]): boolean {
  const text = message.text();
  // A busy browser uses a preloaded file later than it expects to.
  if (text.includes('was preloaded using link preload but not used')) return true;
  return statuses.some((status) =>
    text.includes(`Failed to load resource: the server responded with a status of ${status}`),
  );
}
