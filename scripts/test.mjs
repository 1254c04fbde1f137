/**
 * `npm test`: fetches what it needs, then checks the sources and runs every test. It goes on after a failure, so
 * that one run tells all; the last line is the sum.
 */
import { buildApp } from './build-app.mjs';
import { runChecks } from './check-steps.mjs';
import { checkFirstLoad } from './first-load.mjs';
import { installPackages } from './install-packages.mjs';
import { repoRoot } from './repo-root.mjs';
import { runDrills } from './run-drills.mjs';
import { runPlaywright } from './run-playwright.mjs';
import { runVitest } from './run-vitest.mjs';
import { createSteps } from './steps.mjs';
import { stopOnSignal } from './stop-on-signal.mjs';
import { createTally } from './tally.mjs';
import { provideChromium } from './tools/chromium-tool.mjs';
import { providePostgres } from './tools/postgres-tool.mjs';
import { provideRedis } from './tools/redis-tool.mjs';

process.chdir(repoRoot);
stopOnSignal();
const steps = createSteps();
const tally = createTally();
const preparation = { countsWhenPassed: false };

if (await tally.step(steps, 'packages', installPackages, preparation)) {
  await tally.step(steps, 'redis', provideRedis, preparation);
  await tally.step(steps, 'postgres', providePostgres, preparation);
  await tally.step(steps, 'chromium', provideChromium, preparation);
  const built = await tally.step(steps, 'build', buildApp, preparation);
  if (built) await tally.step(steps, 'first load', async (note) => checkFirstLoad(note));
  await runChecks(steps, tally);
  await tally.step(steps, 'unit', (note) => runVitest('unit', tally, note), preparation);
  await tally.step(steps, 'integration', (note) => runVitest('integration', tally, note), preparation);
  await tally.step(steps, 'serial', (note) => runVitest('serial', tally, note), preparation);
  if (built) await tally.step(steps, 'drills', (note) => runDrills(tally, note), preparation);
  if (built) await tally.step(steps, 'end to end', (note) => runPlaywright(tally, note), preparation);
}
tally.conclude();
