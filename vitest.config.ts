import { defineConfig } from 'vitest/config';

const integration = '**/*.integration.test.ts';
const neverTests = ['**/node_modules/**', '.data/**', '.next/**', 'dist/**', 'e2e/**'];

/**
 * Two projects, so that `npm run check` can run what needs no server:
 * `unit` touches no service; `integration` gets a real Redis, a real Postgres and PGlite from its global setup.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{app,bench,examples,scripts,server,test}/**/*.test.{ts,tsx}'],
          exclude: [integration, ...neverTests],
          setupFiles: ['test/fail-on-console.ts'],
        },
      },
      {
        test: {
          name: 'integration',
          include: [integration],
          exclude: neverTests,
          setupFiles: ['test/fail-on-console.ts'],
          globalSetup: ['test/services/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
