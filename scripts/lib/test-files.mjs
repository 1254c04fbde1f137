import { existsSync } from 'node:fs';
import path from 'node:path';
import { StepError } from './step-error.mjs';

/**
 * @typedef {object} TestFiles
 * @property {string[]} vitest
 * @property {string[]} playwright
 * @property {string[]} drills  Names of drills.
 */

/**
 * Groups test files and folders by their runner.
 *
 * @param {string[]} paths
 * @returns {TestFiles}
 * @throws {StepError} For a path that does not exist.
 */
export function groupTestFiles(paths) {
  const missing = paths.filter((name) => !existsSync(name));
  if (missing.length > 0) {
    throw new StepError(`No such file or folder: ${missing.join(', ')}`, {
      hint: 'Example: npm test -- server/limiter/limiter.integration.test.ts',
    });
  }
  const files = paths.map((name) => path.relative('.', name));
  const isStory = (/** @type {string} */ file) => file.split(path.sep)[0] === 'e2e';
  const isDrill = (/** @type {string} */ file) => path.dirname(file) === path.join('drills', 'faults');
  return {
    vitest: files.filter((file) => !isStory(file) && !isDrill(file)),
    playwright: files.filter(isStory),
    drills: files.filter(isDrill).map((file) => path.basename(file, '.ts')),
  };
}
