/** `npm run build`: builds for production unless the build is up to date. */
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

/** Builds without a check. `buildApp` starts it in a process of its own, after the packages are installed. */
async function buildNow() {
  // Runs before the Next build, which takes half a minute and does not check types.
  run([process.execPath, ...typeCheckArgs()], {});
  const { bundleServer } = await import('./lib/build/bundle-server.mjs');
  const { precompress } = await import('./lib/build/precompress.mjs');
  run(['node_modules/.bin/next', 'build'], { NODE_ENV: 'production' });
  await bundleServer();
  await precompress('.next/static');
}

/**
 * Runs a command of the build. Its failure ends the build.
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
