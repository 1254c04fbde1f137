import { defineConfig, devices } from '@playwright/test';
import { findTestChromium } from './scripts/tools/find-chromium.mjs';

/**
 * Two workers, each with a server and databases of its own (`e2e/fixtures.ts`). The limits under test count all
 * visitors of a server, so the stories of one server run one after the other.
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  workers: 2,
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 10_000 },
  outputDir: 'test-results',
  use: {
    ...devices['Desktop Chrome'],
    locale: 'en-US',
    screenshot: 'only-on-failure',
    // Frames of every page would cost a third of the CPU time; a failed test has its last screenshot.
    trace: { mode: 'retain-on-failure', screenshots: false, sources: false },
    video: 'off',
    launchOptions: {
      executablePath: findTestChromium(),
      // Chromium's sandbox refuses to run as root.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
});
