import { defineConfig, devices } from '@playwright/test';
import { findChromium } from './scripts/tools/find-chromium.mjs';

/**
 * Every story runs against one built server on fresh databases (`e2e/global-setup.ts`). One worker: the limits
 * under test are counted over all visitors, so two stories at once would spend each other's calls.
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/global-setup.ts',
  workers: 1,
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 10_000 },
  outputDir: 'test-results',
  use: {
    ...devices['Desktop Chrome'],
    locale: 'en-US',
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    video: 'off',
    launchOptions: {
      executablePath: findChromium(),
      // Chromium's sandbox refuses to run as root.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
});
