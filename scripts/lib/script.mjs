import { hasCode } from './files.mjs';
import { stopCommands } from './processes.mjs';
import { createSteps, describeError, repoRoot } from './steps.mjs';

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

/** Stops the commands of a script when the script receives a signal. The commands have their own process groups. */
export function stopOnSignal() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, async () => {
      await stopCommands();
      process.exit(130);
    });
  }
}

/** The settings of the server. server/env.ts defines them, but needs packages, and this file runs without any. */
export const settingNames = [
  ...['PORT', 'HOST', 'REDIS_URL', 'DATABASE_URL', 'SESSION_SECRETS', 'TRUSTED_PROXIES', 'PUBLIC_ORIGIN'],
  ...['ADMIN_EMAILS', 'SMTP_URL', 'FLOODGATE_DEMO', 'FLOODGATE_PGLITE', 'ALERT_WEBHOOK_URL'],
  ...['LIVE_STREAMS_PER_ADDRESS', 'LOG_LEVEL'],
];

/**
 * Adds the variables of a `.env` file to the environment. A variable that is already set keeps its value, also an empty
 * one. Without a file, nothing happens. A file that cannot be read ends the process.
 *
 * @param {string} [file]  Default: `.env` in the working directory.
 */
export function loadEnvFile(file = '.env') {
  try {
    process.loadEnvFile(file);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (hasCode(error, 'ENOENT')) return;
    console.error(`${file} cannot be read: ${error.message}`);
    process.exit(1);
  }
}

/**
 * Does the same for a command that starts its own servers and databases, such as `npm test`. It removes the settings of
 * the server, so that the command never uses a database from `.env`.
 *
 * @param {string} [file]
 */
export function loadEnvFileWithoutSettings(file) {
  loadEnvFile(file);
  for (const name of settingNames) delete process.env[name];
}
