/**
 * `npm test`: installs packages and tools, checks the sources and runs all tests. It continues after a failure, so that
 * one run reports all failures. The last line is the sum. `npm test -- FILE…` runs only these files.
 */
import { buildApp } from './lib/build-app.mjs';
import { runChecks } from './lib/check-steps.mjs';
import { loadEnvFileWithoutSettings } from './lib/env-file.mjs';
import { checkFirstLoad } from './lib/first-load.mjs';
import { installPackages } from './lib/install-packages.mjs';
import { repoRoot } from './lib/repo-root.mjs';
import { describeError } from './lib/step-error.mjs';
import { createSteps } from './lib/steps.mjs';
import { stopOnSignal } from './lib/stop-on-signal.mjs';
import { createTally } from './lib/tally.mjs';
import { groupTestFiles } from './lib/test-files.mjs';
import { runDrills, runPlaywright, runVitest } from './lib/test-runners.mjs';
import { provideChromium } from './lib/tools/chromium-tool.mjs';
import { providePglite } from './lib/tools/pglite-template.mjs';
import { provideServices } from './lib/tools/provide-services.mjs';

process.chdir(repoRoot);
loadEnvFileWithoutSettings();
stopOnSignal();
const steps = createSteps();
const tally = createTally();
const files = process.argv.slice(2);
try {
  await (files.length > 0 ? runFiles(groupTestFiles(files)) : runAll());
  tally.conclude();
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

async function runAll() {
  const packages = prepare('packages', installPackages);
  const tools = provideTools(packages);
  if (!(await packages)) return;
  await tools;
  const build = prepare('build', buildApp);
  await prepare('pglite', providePglite);
  // Integration tests wait most of the time, so the build and the checks run at the same time.
  const integration = prepare('integration', (note) => runVitest(['integration'], { tally, note }));
  const isBuilt = await build;
  await runChecks(steps, tally);
  if (isBuilt) await tally.step(steps, 'first load', checkFirstLoad);
  await prepare('unit', (note) => runVitest(['unit'], { tally, note }));
  await integration;
  // Both wait most of the time and together use one core.
  await Promise.all([
    prepare('serial', (note) => runVitest(['serial'], { tally, note })),
    isBuilt && prepare('drills', (note) => runDrills({ tally, note })),
  ]);
  if (isBuilt) await prepare('end to end', (note) => runPlaywright({ tally, note }));
}

/** @param {import('./lib/test-files.mjs').TestFiles} files */
async function runFiles({ vitest, playwright, drills }) {
  if (!(await prepare('packages', installPackages))) return;
  await provideServices(prepare);
  if (vitest.length > 0) await prepare('vitest', (note) => runVitest([], { tally, note, files: vitest }));
  if (playwright.length + drills.length === 0 || !(await prepare('build', buildApp))) return;
  if (drills.length > 0) await prepare('drills', (note) => runDrills({ tally, note, files: drills }));
  if (playwright.length === 0) return;
  await prepare('chromium', provideChromium);
  await prepare('end to end', (note) => runPlaywright({ tally, note, files: playwright }));
}

/**
 * Provides databases and tools for the tests. Only the search for Playwright's browser waits for the packages.
 *
 * @param {Promise<boolean>} packages
 */
async function provideTools(packages) {
  await provideServices(prepare);
  await prepare('chromium', (note) => provideChromium(note, packages));
}

/**
 * Runs a step that counts only when it fails.
 *
 * @param {string} name
 * @param {(note: (text: string) => void) => Promise<void>} work
 */
function prepare(name, work) {
  return tally.step(steps, name, work, { countsWhenPassed: false });
}
