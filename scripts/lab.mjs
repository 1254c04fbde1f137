/**
 * `npm run lab -- <scenario>`: runs a scenario of /lab in a terminal. Uses the Redis of REDIS_URL with a separate key
 * prefix. Without REDIS_URL it starts a Redis and stops it at the end.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { loadEnvFile } from './lib/env-file.mjs';
import { installPackages } from './lib/install-packages.mjs';
import { checkDemonstration, readLabArguments } from './lib/lab/read-lab-arguments.mjs';
import { repoRoot } from './lib/repo-root.mjs';
import { startAnyRedis } from './lib/services/start-redis.mjs';
import { checkSettings } from './lib/start/check-settings.mjs';
import { runUntilStopped } from './lib/start/run-until-stopped.mjs';
import { createSteps } from './lib/steps.mjs';

process.chdir(repoRoot);
loadEnvFile();

await runUntilStopped(async (lifetime) => {
  const request = readLabArguments(process.argv.slice(2));
  checkSettings({ REDIS_URL: process.env.REDIS_URL });
  // Only the result goes to stdout, so that it can be piped.
  const steps = createSteps((line) => console.error(line));
  await steps.run('packages', installPackages);
  const { tsImport } = await import('tsx/esm/api');
  /** @type {typeof import('./lib/lab/run-lab-in-terminal')} */
  const { demonstrations, runLabInTerminal } = await tsImport(
    './lib/lab/run-lab-in-terminal.ts',
    import.meta.url,
  );
  checkDemonstration(request, demonstrations);
  const url = process.env.REDIS_URL || (await steps.run('redis', (note) => startOwnRedis(lifetime, note)));
  console.log(await runLabInTerminal(request, { url, steps }));
  await lifetime.exit(0);
});

/**
 * Starts a Redis that ends with this script, and deletes its files.
 *
 * @param {import('./lib/start/run-until-stopped.mjs').Lifetime} lifetime
 * @param {(text: string) => void} note
 */
async function startOwnRedis(lifetime, note) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-lab-'));
  const starting = startAnyRedis({ dir: folder });
  const end = async () => {
    const [started] = await Promise.allSettled([starting]);
    if (started.status === 'fulfilled') await started.value.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  lifetime.add({ stop: end, kill: () => undefined });
  const service = await starting;
  note(service.about.split(',')[0] ?? '');
  return service.url;
}
