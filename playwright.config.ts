import { defineConfig, devices } from '@playwright/test';
import { chromiumArgs, findTestChromium } from './scripts/lib/tools.mjs';

/**
 * Runs four workers, each with its own server and databases (`e2e/fixtures.ts`). The limits under test count all visitors
 * of a server, so the tests of one server run one after the other.
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  workers: 4,
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  // `npm test` names each test that passes only at its second attempt, and fails if they are more than four.
  retries: 1,
  // A whole test, with the starts of its services: on slow cores, four browsers wait for each other.
  timeout: 120_000,
  expect: { timeout: 10_000 },
  outputDir: 'test-results',
  use: {
    ...devices['Desktop Chrome'],
    locale: 'en-US',
    // Drawing the motion of a sale page takes 130 ms of CPU time a second. Tests of motion enable it.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    // A trace of every test would cost 20 % of the CPU time, so only a failed test runs again with a trace.
    trace: 'on-first-retry',
    video: 'off',
    launchOptions: {
      executablePath: findTestChromium(),
      args: chromiumArgs,
    },
  },
});
