/**
 * `npm run drill`: sells to a crowd while something breaks, and checks that nothing was promised that does not hold.
 * Without a name it runs a handful; `-- --all` runs every drill and writes the table into docs/architecture.md;
 * `-- --list` names them.
 */
import { spawn } from 'node:child_process';
import { buildApp } from './build-app.mjs';
import { installPackages } from './install-packages.mjs';
import { repoRoot } from './repo-root.mjs';
import { stopCommands } from './run-command.mjs';
import { describeError } from './step-error.mjs';
import { createSteps } from './steps.mjs';
import { providePostgres } from './tools/postgres-tool.mjs';
import { provideRedis } from './tools/redis-tool.mjs';

process.chdir(repoRoot);
/** @type {import('node:child_process').ChildProcess | undefined} */
let drills;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, async () => {
    // A terminal has told the drills too; they end what they have started, and then this script ends with them.
    if (drills) return drills.kill(signal);
    await stopCommands();
    process.exit(130);
  });
}

try {
  const steps = createSteps();
  await steps.run('packages', installPackages);
  await steps.run('redis', provideRedis);
  await steps.run('postgres', providePostgres);
  await steps.run('build', buildApp);
  const main = ['--import', 'tsx', 'test/drills/main.ts', ...process.argv.slice(2)];
  const child = spawn(process.execPath, main, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  drills = child;
  process.exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 128));
  });
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
