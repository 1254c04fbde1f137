import os from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const exclude = ['**/node_modules/**', '.data/**', '.next/**', 'dist/**', 'e2e/**', 'examples/*/**'];
const setupFiles = ['test/fail-on-console.ts'];

/** The settings of tests that use services. The broker starts a service on the first request for its address. */
const withServices = {
  exclude,
  setupFiles,
  globalSetup: ['test/services/service-broker.ts'],
  testTimeout: 90_000,
  hookTimeout: 90_000,
};

/**
 * Starts the files that build packages or start many processes first. Without the times of an earlier run, Vitest starts
 * larger files first, and these are long but small: the last one would run alone.
 */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /\/(bench|examples)\//.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          // Uses no service. The files of a worker share their modules, which saves two thirds of the CPU time.
          name: 'unit',
          include: ['{app,bench,drills,examples,scripts,server,test}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.{integration,serial}.test.ts', ...exclude],
          setupFiles,
          isolate: false,
          maxWorkers: os.availableParallelism(),
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...withServices,
          name: 'integration',
          include: ['**/*.integration.test.ts'],
          // The files of a worker share their modules and services, which saves a quarter of the CPU time.
          isolate: false,
          // These tests mostly wait for services.
          maxWorkers: 2 * os.availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...withServices,
          // Asserts wall-clock times, so at most two files run at the same time, and no other tests.
          name: 'serial',
          include: ['**/*.serial.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
