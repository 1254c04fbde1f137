/** `npm run build`: the production build, or nothing when it is up to date. */
import { spawnSync } from 'node:child_process';
import { buildApp } from './build-app.mjs';
import { loadEnvFile } from './env-file.mjs';
import { installPackages } from './install-packages.mjs';
import { repoRoot } from './repo-root.mjs';
import { describeError } from './step-error.mjs';
import { createSteps } from './steps.mjs';
import { tsc } from './type-check.mjs';

process.chdir(repoRoot);
loadEnvFile();
process.env.NEXT_TELEMETRY_DISABLED = '1';
await (process.argv.includes('--force') ? buildNow() : buildIfNeeded());

/** Runs in the process that `buildApp` starts, once the packages are there. */
async function buildNow() {
  // Before Next, which would build for half a minute and leave types to this check.
  run([process.execPath, ...tsc()], {});
  const { bundleServer } = await import('./build/bundle-server.mjs');
  const { precompress } = await import('./build/precompress.mjs');
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
