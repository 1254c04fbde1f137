import { defineConfig, devices } from '@playwright/test';
import { chromiumArgs, findTestChromium } from './scripts/lib/tools.mjs';

/**
 * Runs three workers, each with its own server and databases (`e2e/fixtures.ts`). The limits under test count all visitors
 * of a server, so the tests of one server run one after the other.
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  workers: 3,
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  // A whole test, with the starts of its services: on slow cores, the browsers wait for each other.
  timeout: 180_000,
  // Longer than a browser waits for its share of a busy machine. An assertion of a time has its own, shorter limit.
  expect: { timeout: 30_000 },
  outputDir: 'test-results',
  use: {
    ...devices['Desktop Chrome'],
    locale: 'en-US',
    // Drawing the motion of a sale page takes 130 ms of CPU time a second. Tests of motion enable it.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    video: 'off',
    launchOptions: {
      executablePath: findTestChromium(),
      args: chromiumArgs,
    },
  },
});
