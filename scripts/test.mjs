/**
 * `npm test`: installs packages and tools, checks the sources and runs all tests. It continues after a failure, so that
 * one run reports all failures. The last line is the sum. `npm test -- FILE…` runs only these files, with the output of
 * their runner. `--check` (`npm run check`) runs all that needs no server and no browser. `--watch FILE…` (`npm run
 * test:watch`) runs files of Vitest again when one of their sources changes; without a file, the tests of uncommitted changes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildApp, isBuilt } from './lib/build-app.mjs';
import { checkFirstLoad } from './lib/first-load.mjs';
import { installPackages } from './lib/packages.mjs';
import { runCommand, runOrThrow } from './lib/processes.mjs';
import { provideChromium, provideServices } from './lib/provide-tools.mjs';
import { runScript } from './lib/script.mjs';
import { describeError, StepError } from './lib/steps.mjs';
import { drills, groupTestFiles, listChecks, playwright, vitest } from './lib/test-runners.mjs';

const sum = { passed: 0, failed: 0 };
const args = process.argv.slice(2);
const isCheck = args.includes('--check');
const isOfFiles = args.length > 0 && !isCheck;

await runScript(async (steps) => {
  if (args[0] === '--watch') return watch(args.slice(1));
  if (isCheck) await runChecksAndUnitTests();
  else if (isOfFiles) await runFiles(groupTestFiles(args));
  else await runAll();
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  process.exitCode = sum.failed > 0 ? 1 : 0;

  async function runAll() {
    const packages = step('packages', installPackages);
    await provideServices(step);
    // Only the search for Playwright's browser waits for the packages.
    await step('chromium', (note) => provideChromium(note, packages));
    if (!(await packages)) return;
    const build = step('build', buildApp);
    // Integration tests wait most of the time, so the build and the checks run at the same time.
    const integration = runTests('integration', vitest(['--project=integration']));
    const hasBuild = await build;
    await runChecks();
    if (hasBuild) await check('first load', checkFirstLoad);
    await runTests('unit', vitest(['--project=unit']));
    if (hasBuild) await runTests('drills', drills(['--short']));
    await integration;
    // These tests assert times, so nothing else runs.
    await runTests('serial', vitest(['--project=serial']));
    if (hasBuild) await runTests('end to end', playwright([]));
  }

  async function runChecksAndUnitTests() {
    if (!(await step('packages', installPackages))) return;
    await Promise.all([runChecks(), runTests('unit', vitest(['--project=unit']))]);
    if (await isBuilt()) await check('first load', checkFirstLoad);
  }

  /** @param {import('./lib/test-runners.mjs').TestFiles} files */
  async function runFiles(files) {
    if (!(await step('packages', installPackages))) return;
    await provideServices(step);
    if (files.vitest.length > 0) await runTests('vitest', vitest(files.vitest));
    if (files.playwright.length + files.drills.length === 0 || !(await step('build', buildApp))) return;
    if (files.drills.length > 0) await runTests('drills', drills(files.drills));
    if (files.playwright.length === 0 || !(await step('chromium', provideChromium))) return;
    await runTests('end to end', playwright(files.playwright));
  }

  /** @param {string[]} files */
  async function watch(files) {
    const groups = groupTestFiles(files);
    if (groups.playwright.length + groups.drills.length > 0) {
      const hint = `Run: npm test -- ${files.join(' ')}`;
      throw new StepError('Only tests of Vitest can be watched.', { hint });
    }
    await steps.run('packages', installPackages);
    await provideServices(steps.run);
    const which = files.length > 0 ? groups.vitest : ['--changed'];
    const child = spawn('node_modules/.bin/vitest', ['watch', ...which], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    process.exitCode = code ?? 128;
  }

  async function runChecks() {
    await Promise.all(
      listChecks().map(({ name, command: [program = '', ...rest], fix, hasNote }) =>
        check(name, async (note) => {
          const output = await runOrThrow(program, rest, { hint: `See or fix it with: ${fix}` });
          if (hasNote) note(output.trim());
        }),
      ),
    );
  }

  /**
   * Runs one step. A failure is printed and counted, and never thrown, so that the other steps also run.
   *
   * @param {string} name
   * @param {(note: (text: string) => void) => Promise<void>} work
   * @returns {Promise<boolean>} True if it passed.
   */
  async function step(name, work) {
    try {
      await steps.run(name, work);
      return true;
    } catch (error) {
      sum.failed += 1;
      console.log(describeError(error));
      return false;
    }
  }

  /**
   * Runs one step that also counts when it passes.
   *
   * @type {(...call: Parameters<typeof step>) => Promise<void>}
   */
  async function check(name, work) {
    if (await step(name, work)) sum.passed += 1;
  }

  /**
   * Runs the tests of one runner and counts them. A runner that ends without a report, or a file that does not load, is
   * one failure.
   *
   * @param {string} name
   * @param {import('./lib/test-runners.mjs').Runner} runner
   */
  async function runTests(name, runner) {
    await step(name, async (note) => {
      const report = path.join(os.tmpdir(), `floodgate-${process.pid}-${name.replaceAll(' ', '-')}.json`);
      const { command, env, count } = runner(report);
      rmSync(report, { force: true });
      const { code, output } = await runCommand(process.execPath, command, { env, show: isOfFiles });
      const [passed, failed] = existsSync(report) ? count(JSON.parse(readFileSync(report, 'utf8'))) : [0, 0];
      rmSync(report, { force: true });
      const failures = code === 0 ? failed : Math.max(failed, 1);
      note(`${passed} passed, ${failures} failed`);
      sum.passed += passed;
      // `step` counts the error as the first failure.
      sum.failed += Math.max(failures - 1, 0);
      if (failures > 0) throw new StepError(output.trim());
    });
  }
});
