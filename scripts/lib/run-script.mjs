import { loadEnvFileWithoutSettings } from './env-file.mjs';
import { repoRoot } from './repo-root.mjs';
import { describeError } from './step-error.mjs';
import { createSteps } from './steps.mjs';
import { stopOnSignal } from './stop-on-signal.mjs';

/**
 * Runs an npm command in the root of the repository, with `.env` but without the settings of a server. A signal stops the
 * commands that it started. An error is printed, and the exit code is 1.
 *
 * @param {(steps: import('./steps.mjs').Steps) => Promise<void>} run
 */
export async function runScript(run) {
  process.chdir(repoRoot);
  loadEnvFileWithoutSettings();
  stopOnSignal();
  try {
    await run(createSteps());
  } catch (error) {
    console.error(describeError(error));
    process.exitCode = 1;
  }
}
