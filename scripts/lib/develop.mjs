import { setTimeout as sleep } from 'node:timers/promises';
import { watch } from 'chokidar';
import { typeCheckArgs } from './build-app.mjs';
import { runCommand } from './processes.mjs';

/** The pause after a change, because editors write a file in several steps. */
const SETTLE_MS = 200;

/**
 * Restarts the development server when its sources change. Next reloads pages itself. If the server does not start, such as
 * after a syntax error, the next change starts it again. Never returns.
 *
 * @param {string[]} folders
 * @param {import('./lifetime.mjs').ServerProcess} first
 * @param {() => Promise<import('./lifetime.mjs').ServerProcess>} serve
 * @returns {Promise<never>}
 */
export async function restartOnChange(folders, first, serve) {
  const { nextChange } = await watchSources(folders);
  /** @type {import('./lifetime.mjs').ServerProcess | undefined} */
  let server = first;
  for (;;) {
    console.log(`${await nextChange()} changed, restarting the server`);
    await server?.stop();
    server = await serve().catch((error) => void console.error(error.message));
  }
}

/**
 * Watches the sources in these folders, also those that an editor replaces by renaming another file onto them.
 *
 * @param {string[]} folders
 * @returns {Promise<{ nextChange: () => Promise<string>, close: () => Promise<void> }>} `nextChange` resolves with the
 *   path of the last file that changed since the call before.
 */
export async function watchSources(folders) {
  /** @type {string | undefined} */
  let changed;
  /** @type {() => void} */
  let wake = () => undefined;
  const watcher = watch(folders, {
    ignoreInitial: true,
    ignored: (file, stats) => stats?.isFile() === true && !isSource(file),
  });
  watcher.on('all', (_event, file) => {
    if (!isSource(file)) return;
    changed = file;
    wake();
  });
  await new Promise((resolve) => watcher.once('ready', () => resolve(undefined)));

  async function nextChange() {
    if (!changed) {
      await /** @type {Promise<void>} */ (
        new Promise((resolve) => {
          wake = resolve;
        })
      );
    }
    await sleep(SETTLE_MS);
    const file = changed ?? '';
    changed = undefined;
    return file;
  }

  return { nextChange, close: () => watcher.close() };
}

/** @param {string} file */
function isSource(file) {
  return /\.(ts|lua|sql)$/.test(file) && !file.endsWith('.test.ts');
}

/**
 * Checks the types of the server and the pages after each change, during `npm run dev`, and prints the errors. Runs until
 * `stopCommands`.
 *
 * @param {string} [project]
 */
export async function watchTypes(project) {
  await runCommand(process.execPath, [...typeCheckArgs(project), '--watch', '--preserveWatchOutput'], {
    show: true,
  });
}
