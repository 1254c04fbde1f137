import { defineConfig, devices } from '@playwright/test';
import { findTestChromium } from './scripts/lib/tools/find-chromium.mjs';

/**
 * Four workers, each with a server and databases of its own (`e2e/fixtures.ts`). The limits under test count all
 * visitors of a server, so the stories of one server run one after the other.
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  workers: 4,
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  // `npm test` counts a story as failed also if it passes at its second attempt.
  retries: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  outputDir: 'test-results',
  use: {
    ...devices['Desktop Chrome'],
    locale: 'en-US',
    // Drawing the motion of a sale page takes 130 ms of CPU time a second. Stories about motion ask for it.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
    // A trace of every story would cost a fifth of the CPU time, so a failed one runs again with a trace.
    trace: 'on-first-retry',
    video: 'off',
    launchOptions: {
      executablePath: findTestChromium(),
      // Chromium's sandbox refuses to run as root.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
});
