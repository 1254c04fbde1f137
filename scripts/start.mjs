/**
 * `npm start`: installs, builds, starts databases and serves. `--dev` (npm run dev) serves the sources instead of a build,
 * reloads changes and prints type errors. It imports only Node modules until the packages are installed.
 */
import { buildApp } from './lib/build-app.mjs';
import { startDatabases } from './lib/databases.mjs';
import { claimSingleStart } from './lib/exclusive-socket.mjs';
import { runUntilStopped, startServer } from './lib/lifetime.mjs';
import { installPackages, requireNode } from './lib/packages.mjs';
import { choosePort } from './lib/ports.mjs';
import { loadEnvFile } from './lib/script.mjs';
import { createSteps, dataDir, repoRoot, StepError } from './lib/steps.mjs';

process.chdir(repoRoot);
loadEnvFile();
process.env.NEXT_TELEMETRY_DISABLED = '1';
const isDev = process.argv.includes('--dev');

await runUntilStopped(async (lifetime) => {
  requireNode();
  const claim = await claimSingleStart(`${dataDir}/start.sock`);
  if (!claim.first) {
    console.log(`Floodgate already runs from this folder: ${claim.url}`);
    return lifetime.exit(0);
  }
  // A busy port is reported before the long steps. The final choice follows them.
  const portOptions = { maxWaitMs: claim.afterCrash ? 5_000 : 0 };
  await choosePort(process.env, portOptions);
  const steps = createSteps();
  await steps.run('packages', (note) => installPackages(note, { needsTools: isDev }));
  await checkSettings();
  // The build and the first start of a database each need almost 1 GB, so they run one after the other.
  if (!isDev) await steps.run('build', buildApp);

  const env = {
    ...(await startDatabases(steps, process.env)),
    PORT: await choosePort(process.env, portOptions),
    NODE_ENV: isDev ? 'development' : 'production',
    // The terminal shows the steps, so the log is limited to problems.
    LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
  };
  const args = isDev ? ['--import', 'tsx', 'server/main.ts'] : ['--enable-source-maps', 'dist/main.js'];
  const serve = () => startServer(args, env, { onStep: steps.done, onSpawn: lifetime.add });
  const server = await steps.run('server', serve);
  claim.announce(server.url);
  console.log(`\nFloodgate is open: ${server.url}\n`);

  if (isDev) {
    const { restartOnChange, watchTypes } = await import('./lib/develop.mjs');
    void watchTypes().then(() => {
      if (!lifetime.isEnding()) console.error('Types are no longer checked: the type check ended by itself.');
    });
    return restartOnChange(['server', 'lua'], server, serve);
  }
  await server.ended;
  if (!lifetime.isEnding()) console.error('The server ended by itself.');
  await lifetime.exit(1);
});

/** Reports unusable settings before the long steps. server/env.ts is TypeScript and imports packages. */
async function checkSettings() {
  const { tsImport } = await import('tsx/esm/api');
  /** @type {typeof import('../server/env')} */
  const { checkEnvOfStart, EnvError } = await tsImport('../server/env.ts', import.meta.url);
  try {
    checkEnvOfStart();
  } catch (error) {
    throw error instanceof EnvError ? new StepError(error.message, { cause: error }) : error;
  }
}
