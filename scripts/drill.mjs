/**
 * `npm run drill -- NAME…`: sells to simulated shoppers during a fault, and checks all guarantees. Without a name it runs
 * five drills. `-- --oracle` runs all cases of the property tests and every figure of the benchmark instead. `-- --all` runs
 * every drill, writes the table into docs/architecture.md, then does the same as `--oracle`. `-- --list` prints the names.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { buildApp } from './lib/build-app.mjs';
import { loadEnvFileWithoutSettings } from './lib/env-file.mjs';
import { installPackages } from './lib/install-packages.mjs';
import { repoRoot } from './lib/repo-root.mjs';
import { stopCommands } from './lib/run-command.mjs';
import { describeError, StepError } from './lib/step-error.mjs';
import { createSteps } from './lib/steps.mjs';
import { provideServices } from './lib/tools/provide-services.mjs';

process.chdir(repoRoot);
loadEnvFileWithoutSettings();
const args = process.argv.slice(2);
const steps = createSteps();
/** @type {import('node:child_process').ChildProcess | undefined} */
let running;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, async () => {
    // The child stops its own processes, then this script ends with it.
    if (running) return running.kill(signal);
    await stopCommands();
    process.exit(130);
  });
}

try {
  await steps.run('packages', installPackages);
  const isOracle = args.includes('--oracle');
  if (isOracle || (await hasRuns())) process.exitCode = await runAll({ isOracle });
  else process.exitCode = await startDrills();
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

/** Returns false for `--list`. Throws a StepError for a wrong name or option. */
async function hasRuns() {
  const { tsImport } = await import('tsx/esm/api');
  /** @type {typeof import('../drills/options')} */
  const { parseRunPlan } = await tsImport('../drills/options.ts', import.meta.url);
  try {
    return parseRunPlan(args) !== undefined;
  } catch (error) {
    if (error instanceof TypeError) throw new StepError(error.message, { cause: error });
    throw error;
  }
}

/**
 * @param {{ isOracle: boolean }} options
 * @returns {Promise<number>} The first exit code that is not 0, or 0.
 */
async function runAll({ isOracle }) {
  await provideServices(steps.run);
  const codes = [];
  if (!isOracle) {
    await steps.run('build', buildApp);
    codes.push(await startDrills());
  }
  if (isOracle || args.includes('--all')) codes.push(await runProperties());
  return codes.find((code) => code !== 0) ?? 0;
}

function startDrills() {
  return run(['--import', 'tsx', 'drills/main.ts', ...args]);
}

/** Runs every property test with all its cases, from `SEED` or a new seed. */
async function runProperties() {
  const { SEED = String(randomInt(2 ** 31)) } = process.env;
  console.log(`Property tests in full, SEED=${SEED}`);
  return run(['node_modules/vitest/vitest.mjs', 'run', ...(await listPropertyTests())], {
    FLOODGATE_FULL_PROPERTIES: '1',
    SEED,
  });
}

/** @returns {Promise<string[]>} The test files that are longer in full runs: those that import `isFull` or what uses it. */
async function listPropertyTests() {
  const files = await Promise.all(
    ['bench', 'examples', 'server', 'test'].map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((file) => path.join(folder, file)),
    ),
  );
  return files
    .flat()
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .filter((file) => /\/(property|sale-engines)';$/m.test(readFileSync(file, 'utf8')));
}

/**
 * @param {string[]} nodeArgs
 * @param {Record<string, string>} [env]
 * @returns {Promise<number>} Exit code, 128 after a signal.
 */
async function run(nodeArgs, env) {
  const child = spawn(process.execPath, nodeArgs, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  running = child;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 128));
  });
}
