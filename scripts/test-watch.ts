/**
 * `npm run test:watch -- FILE…`: runs these Vitest files, and again when one of their sources changes. Without a file it
 * runs the tests of uncommitted changes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { installPackages } from './lib/packages.mjs';
import { providePostgres, provideRedis } from './lib/provide-tools.mjs';
import { runScript } from './lib/script.mjs';
import { StepError } from './lib/steps.mjs';
import { groupTestFiles } from './lib/test-runners.mjs';

await runScript(async (steps) => {
  const files = process.argv.slice(2);
  const { vitest, playwright, drills } = groupTestFiles(files);
  if (playwright.length + drills.length > 0) {
    const hint = `Run: npm test -- ${files.join(' ')}`;
    throw new StepError('Only tests of Vitest can be watched.', { hint });
  }
  await steps.run('packages', installPackages);
  await steps.run('redis', provideRedis);
  await steps.run('postgres', providePostgres);
  const which = vitest.length > 0 ? vitest : ['--changed'];
  const watch = spawn('node_modules/.bin/vitest', ['watch', ...which], { stdio: 'inherit' });
  const [code] = await once(watch, 'exit');
  process.exitCode = code ?? 128;
});
