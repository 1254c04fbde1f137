/** `npm run check`: everything of `npm test` that needs no server and no browser. */
import { isBuilt } from './build-app.mjs';
import { runChecks } from './check-steps.mjs';
import { loadEnvFileWithoutSettings } from './env-file.mjs';
import { checkFirstLoad } from './first-load.mjs';
import { installPackages } from './install-packages.mjs';
import { repoRoot } from './repo-root.mjs';
import { createSteps } from './steps.mjs';
import { stopOnSignal } from './stop-on-signal.mjs';
import { createTally } from './tally.mjs';
import { runVitest } from './test-runners.mjs';

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
