/**
 * `npm run lab -- <scenario>`: what /lab shows, in a terminal. Uses the Redis of REDIS_URL, in a key space of the lab's
 * own, else one that it starts and ends.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { installPackages } from './install-packages.mjs';
import { readLabArguments } from './lab/read-lab-arguments.mjs';
import { repoRoot } from './repo-root.mjs';
import { startAnyRedis } from './services/start-redis.mjs';
import { runUntilStopped } from './start/run-until-stopped.mjs';
import { createSteps } from './steps.mjs';

process.chdir(repoRoot);

await runUntilStopped(async (lifetime) => {
  const order = readLabArguments(process.argv.slice(2));
  // What is asked for goes to stdout, alone, so that it can be piped.
  const steps = createSteps((line) => console.error(line));
  await steps.run('packages', installPackages);
  const { tsImport } = await import('tsx/esm/api');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-lab-'));
  try {
    const url = process.env.REDIS_URL || (await steps.run('redis', (note) => ownRedis(folder, note)));
    /** @type {typeof import('./lab/conduct-in-terminal')} */
    const { conductInTerminal } = await tsImport('./lab/conduct-in-terminal.ts', import.meta.url);
    console.log(await conductInTerminal(order, { url, steps }));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  await lifetime.exit(0);
});

/**
 * @param {string} folder
 * @param {(text: string) => void} note
 */
async function ownRedis(folder, note) {
  const service = await startAnyRedis({ dir: folder });
  note(service.about.split(',')[0] ?? '');
  return service.url;
}
