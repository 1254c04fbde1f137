/**
 * `npm run drill -- NAME…`: sells to simulated shoppers during a fault, and checks all guarantees. Without a name it runs
 * five drills. `-- --oracle` runs in full what `npm test` runs in part instead: all cases of the property tests on every
 * store, every figure of the benchmark, every page on every screen. `-- --all` runs every drill, writes the table into
 * docs/architecture.md, then does the same as `--oracle`. `-- --list` prints the names. `-- installs` installs the package
 * of the limiter next to each peer and runs every example (drills/installs); it needs a registry and no build of the product.
 * `-- leases` injects faults while processes spend a leased level (drills/leases); it needs no build either. `-- compose`
 * builds and runs the containers (drills/compose); it needs Docker, or root. `-- examine` examines limiters of others and
 * ours with the command of the package (drills/examine); it needs a registry once.
 */
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildApp } from './lib/build-app.mjs';
import { installPackages } from './lib/packages.mjs';
import { runCommand, runOrThrow } from './lib/processes.mjs';
import { provideChromium, provideRedis, provideServices } from './lib/provide-tools.mjs';
import { runScript } from './lib/script.mjs';
import { StepError } from './lib/steps.mjs';

const args = process.argv.slice(2);
const isOracle = args.includes('--oracle');

if (args[0] === 'compose') {
  // Not by `runScript`, which ends a command one second after a signal: the removal of containers takes longer.
  const { runComposeDrill } = await import('../drills/compose/main');
  await runComposeDrill(args.slice(1));
}
await runScript(async (steps) => {
  await steps.run('packages', installPackages);
  if (args[0] === 'installs') {
    await steps.run('redis', provideRedis);
    return run(['--import', 'tsx', 'drills/installs/main.ts', ...args.slice(1)]);
  }
  if (args[0] === 'leases') {
    await steps.run('redis', provideRedis);
    return run(['--import', 'tsx', 'drills/leases/main.ts', ...args.slice(1)]);
  }
  if (args[0] === 'examine') {
    await steps.run('redis', provideRedis);
    await steps.run('limiters', installLimiters);
    // The packages of bench/package.json are resolved from there.
    const resolve = '--experimental-import-meta-resolve';
    return run([resolve, '--import', 'tsx', 'drills/examine/main.ts', ...args.slice(1)]);
  }
  const isList = !isOracle && (await hasNoRuns());
  if (!isList) await provideServices(steps.run);
  if (!isList) await steps.run('build', buildApp);
  if (!isOracle) await run(['--import', 'tsx', 'drills/main.ts', ...args]);
  if (!isOracle && !args.includes('--all')) return;
  await steps.run('chromium', provideChromium);
  await runInFull();
});

/** Installs the packages of bench/package.json by its lock file. */
function installLimiters(): Promise<string> {
  return runOrThrow('npm', ['install', '--no-save', '--no-audit', '--no-fund'], {
    cwd: 'bench',
    problem: 'npm install failed in bench/:',
  });
}

/** Returns true for `--list`. Throws a StepError for a wrong name or option. */
async function hasNoRuns(): Promise<boolean> {
  // It imports packages, which may have been missing when this file was loaded.
  const { parseRunPlan } = await import('../drills/options');
  try {
    return parseRunPlan(args) === undefined;
  } catch (error) {
    if (error instanceof TypeError) throw new StepError(error.message, { cause: error });
    throw error;
  }
}

/** Runs every test that `npm test` runs in part, from `SEED` or a new seed. */
async function runInFull(): Promise<void> {
  const { SEED = String(randomInt(2 ** 31)) } = process.env;
  console.log(`Tests in full, SEED=${SEED}`);
  const env = { FLOODGATE_FULL_PROPERTIES: '1', SEED };
  const tests = listTests(['bench', 'examples', 'server', 'test'], '.test.ts');
  const stories = listTests(['e2e'], '.spec.ts');
  await run(['node_modules/vitest/vitest.mjs', 'run', ...tests], env);
  await run(['node_modules/@playwright/test/cli.js', 'test', ...stories], env);
}

/** Lists the test files that are longer in full runs: those that use `isFull` or what depends on it. */
function listTests(folders: readonly string[], suffix: string): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
    )
    .filter((file) => file.endsWith(suffix) && !file.includes('node_modules'))
    .filter((file) =>
      /\/(property|sale-engines|limiter-stores|databases|lab)';$|\bshareOf\b/m.test(
        readFileSync(file, 'utf8'),
      ),
    );
}

/** Runs Node with these arguments, and makes its failure the exit code. */
async function run(nodeArgs: string[], env: Record<string, string> = {}): Promise<void> {
  const { code } = await runCommand(process.execPath, nodeArgs, { env, show: true });
  process.exitCode ||= code;
}
