/**
 * `npm run trace`: measures the load of the page's main thread during a flood, writes it to docs/benchmarks.md, and fails
 * above the maximum. It is not part of `npm test`, because it fails on a busy machine.
 */
import { median } from './lib/benchmarks/median.mjs';
import { writeSection } from './lib/benchmarks/write-section.mjs';
import { buildApp } from './lib/build-app.mjs';
import { loadEnvFileWithoutSettings } from './lib/env-file.mjs';
import { installPackages } from './lib/install-packages.mjs';
import { repoRoot } from './lib/repo-root.mjs';
import { describeError, StepError } from './lib/step-error.mjs';
import { createSteps } from './lib/steps.mjs';
import { stopOnSignal } from './lib/stop-on-signal.mjs';
import { describeTraces, findExcesses } from './lib/trace/describe-traces.mjs';
import { startFloodFeed } from './lib/trace/flood-feed.mjs';
import { tracePage } from './lib/trace/trace-page.mjs';
import { withRunningApp } from './lib/with-running-app.mjs';

process.chdir(repoRoot);
loadEnvFileWithoutSettings();
stopOnSignal();
const phone = { width: 375, height: 812 };
const wide = { width: 1_440, height: 900 };
const scenes = [
  { name: 'phone', viewport: phone, slowdown: 1 },
  { name: 'wide screen', viewport: wide, slowdown: 1 },
  { name: 'phone', viewport: phone, slowdown: 4 },
];
const runs = 3;
const steps = createSteps();

try {
  await steps.run('packages', installPackages);
  await steps.run('build', buildApp);
  const traced = await withRunningApp(async (appUrl) => {
    const feed = await startFloodFeed(appUrl);
    try {
      const traced = [];
      for (const scene of scenes) {
        const name = scene.slowdown === 1 ? scene.name : `${scene.name}, slow`;
        traced.push(await steps.run(name, (note) => traceOften(feed.url, scene, note)));
      }
      return traced;
    } finally {
      feed.stop();
    }
  });
  writeSection('docs/benchmarks.md', 'trace', describeTraces(traced));
  const problems = findExcesses(traced);
  if (problems.length > 0) throw new StepError(problems.join('\n'));
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

/**
 * @param {string} url
 * @param {import('./lib/trace/trace-page.mjs').Scene} scene
 * @param {(text: string) => void} note
 * @returns {Promise<import('./lib/trace/describe-traces.mjs').TracedScene>}
 */
async function traceOften(url, scene, note) {
  const traces = [];
  for (let run = 0; run < runs; run += 1) traces.push(await tracePage(url, scene));
  note(`${traces.map(({ busyShare }) => (busyShare * 100).toFixed(1)).join(', ')} % busy`);
  return {
    ...scene,
    runs,
    chromium: traces[0]?.chromium ?? 'unknown',
    busyShare: median(traces.map(({ busyShare }) => busyShare)),
    longestTaskMs: median(traces.map(({ longestTaskMs }) => longestTaskMs)),
  };
}
