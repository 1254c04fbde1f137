import { test as base, type ConsoleMessage, expect, type Page } from '@playwright/test';

/** HTTP refusals that a story provokes on purpose; the browser reports each as a console error. */
type ExpectedStatus = 400 | 401 | 403 | 404 | 409 | 429 | 503;

interface Fixtures {
  /** Statuses whose console errors this test expects: `test.use({ expectedStatuses: [429] })`. */
  expectedStatuses: ExpectedStatus[];
  /** Makes another page watch its console like the first: for stories with two tabs. */
  watch: (page: Page) => void;
  /** A page of somebody else, in a browser of their own, whose console is watched as well. */
  otherPage: Page;
}

/**
 * Playwright's test with a page that fails it on any console error, console warning or uncaught error that the
 * story did not announce.
 */
export const test = base.extend<Fixtures>({
  expectedStatuses: [[], { option: true }],

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names out of this pattern.
  baseURL: async ({}, use) => use(process.env.E2E_BASE_URL),

  watch: async ({ expectedStatuses }, use) => {
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

  page: async ({ page, watch }, use) => {
    watch(page);
    await use(page);
  },

  otherPage: async ({ browser, baseURL, watch }, use) => {
    const visit = await browser.newContext({ ...(baseURL !== undefined && { baseURL }) });
    const page = await visit.newPage();
    watch(page);
    await use(page);
    await visit.close();
  },
});

export type { APIRequestContext } from '@playwright/test';
export { expect };

function isProblem(message: ConsoleMessage): boolean {
  return message.type() === 'error' || message.type() === 'warning';
}

function isExpected(message: ConsoleMessage, statuses: ExpectedStatus[]): boolean {
  return statuses.some((status) =>
    message.text().includes(`Failed to load resource: the server responded with a status of ${status}`),
  );
}
