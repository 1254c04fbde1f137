/** `npm run build`: the production build, or nothing when it is up to date. */
import { spawnSync } from 'node:child_process';
import { buildApp } from './lib/build-app.mjs';
import { loadEnvFile } from './lib/env-file.mjs';
import { installPackages } from './lib/install-packages.mjs';
import { repoRoot } from './lib/repo-root.mjs';
import { describeError } from './lib/step-error.mjs';
import { createSteps } from './lib/steps.mjs';
import { typeCheckArgs } from './lib/type-check.mjs';

process.chdir(repoRoot);
loadEnvFile();
process.env.NEXT_TELEMETRY_DISABLED = '1';
await (process.argv.includes('--force') ? buildNow() : buildIfNeeded());

/** Runs in the process that `buildApp` starts, once the packages are there. */
async function buildNow() {
  // Before Next, which would build for half a minute and leave types to this check.
  run([process.execPath, ...typeCheckArgs()], {});
  const { bundleServer } = await import('./lib/build/bundle-server.mjs');
  const { precompress } = await import('./lib/build/precompress.mjs');
  run(['node_modules/.bin/next', 'build'], { NODE_ENV: 'production' });
  await bundleServer();
  await precompress('.next/static');
}

/**
 * Runs a command of the build; its failure ends the build.
 *
 * @param {string[]} command
 * @param {Record<string, string>} env
 */
function run([program = '', ...args], env) {
  const { status } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) process.exit(status ?? 1);
}

async function buildIfNeeded() {
  const steps = createSteps();
  try {
    await steps.run('packages', installPackages);
    await steps.run('build', buildApp);
  } catch (error) {
    console.error(describeError(error));
    process.exitCode = 1;
  }
}
