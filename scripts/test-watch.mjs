/**
 * `npm run test:watch -- FILE…`: runs these Vitest files, and again when one of their sources changes. Without a file it
 * runs the tests of uncommitted changes.
 */
import { spawn } from 'node:child_process';
import { installPackages } from './lib/install-packages.mjs';
import { runScript } from './lib/run-script.mjs';
import { StepError } from './lib/step-error.mjs';
import { groupTestFiles } from './lib/test-files.mjs';
import { providePostgres } from './lib/tools/postgres-tool.mjs';
import { provideRedis } from './lib/tools/redis-tool.mjs';

await runScript(async (steps) => {
  const files = process.argv.slice(2);
  const { vitest, playwright, drills } = groupTestFiles(files);
  if (playwright.length + drills.length > 0) {
    throw new StepError('Only tests of Vitest can be watched.', {
      hint: `Run: npm test -- ${files.join(' ')}`,
    });
  }
  await steps.run('packages', installPackages);
  await steps.run('redis', provideRedis);
  await steps.run('postgres', providePostgres);
  const which = vitest.length > 0 ? vitest : ['--changed'];
  const watch = spawn('node_modules/.bin/vitest', ['watch', ...which], { stdio: 'inherit' });
  process.exitCode = await new Promise((resolve, reject) => {
    watch.once('error', reject);
    watch.once('exit', (code) => resolve(code ?? 128));
  });
});
