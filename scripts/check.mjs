/** `npm run check`: runs the checks and tests of `npm test` that need no server and no browser. */
import { isBuilt } from './lib/build-app.mjs';
import { runChecks } from './lib/check-steps.mjs';
import { loadEnvFileWithoutSettings } from './lib/env-file.mjs';
import { checkFirstLoad } from './lib/first-load.mjs';
import { installPackages } from './lib/install-packages.mjs';
import { repoRoot } from './lib/repo-root.mjs';
import { createSteps } from './lib/steps.mjs';
import { stopOnSignal } from './lib/stop-on-signal.mjs';
import { createTally } from './lib/tally.mjs';
import { runVitest } from './lib/test-runners.mjs';

process.chdir(repoRoot);
loadEnvFileWithoutSettings();
stopOnSignal();
const steps = createSteps();
const tally = createTally();
const preparation = { countsWhenPassed: false };

if (await tally.step(steps, 'packages', installPackages, preparation)) {
  await Promise.all([
    runChecks(steps, tally),
    tally.step(steps, 'unit', (note) => runVitest(['unit'], { tally, note }), preparation),
  ]);
  if (await isBuilt()) await tally.step(steps, 'first load', checkFirstLoad);
}
tally.conclude();
