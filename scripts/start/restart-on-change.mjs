import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Editors write a file in several steps. */
const settleMs = 200;

/**
 * Restarts the development server when its sources change; pages are reloaded by Next itself. A server that does
 * not come up again, because of a half-typed line, is tried again at the next change. Never returns.
 *
 * @param {string[]} folders
 * @param {import('./server-process.mjs').ServerProcess} first
 * @param {() => Promise<import('./server-process.mjs').ServerProcess>} serve
 * @returns {Promise<never>}
 */
export async function restartOnChange(folders, first, serve) {
  const nextChange = watchSources(folders);
  /** @type {import('./server-process.mjs').ServerProcess | undefined} */
  let server = first;
  for (;;) {
    console.log(`${await nextChange()} changed, restarting the server`);
    await server?.stop();
    server = await serve().catch((error) => void console.error(error.message));
  }
}

/**
 * @param {string[]} folders
 * @returns {() => Promise<string>} Waits for a change, also one that came since the last call.
 */
function watchSources(folders) {
  /** @type {string | undefined} */
  let changed;
  /** @type {() => void} */
  let wake = () => undefined;
  for (const folder of folders) {
    watch(folder, { recursive: true }, (_, name) => {
      if (!name || !/\.(ts|lua|sql)$/.test(name) || name.endsWith('.test.ts')) return;
      changed = `${folder}/${name}`;
      wake();
    });
  }
  return async () => {
    if (!changed) {
      await /** @type {Promise<void>} */ (
        new Promise((resolve) => {
          wake = resolve;
        })
      );
    }
    await sleep(settleMs);
    const file = changed ?? '';
    changed = undefined;
    return file;
  };
}
