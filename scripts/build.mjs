/** `npm run build`: the production build, or nothing when it is up to date. */
import { spawnSync } from 'node:child_process';
import { buildApp } from './build-app.mjs';
import { loadEnvFile } from './env-file.mjs';
import { installPackages } from './install-packages.mjs';
import { repoRoot } from './repo-root.mjs';
import { describeError } from './step-error.mjs';
import { createSteps } from './steps.mjs';

process.chdir(repoRoot);
loadEnvFile();
process.env.NEXT_TELEMETRY_DISABLED = '1';
await (process.argv.includes('--force') ? buildNow() : buildIfNeeded());

/** Runs in the process that `buildApp` starts, once the packages are there. */
async function buildNow() {
  const { bundleServer } = await import('./build/bundle-server.mjs');
  const { precompress } = await import('./build/precompress.mjs');
  const next = spawnSync('node_modules/.bin/next', ['build'], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (next.status !== 0) process.exit(next.status ?? 1);
  await bundleServer();
  await precompress('.next/static');
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
