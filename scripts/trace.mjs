/**
 * `npm run trace`: measures the load of the page's main thread during a flood, writes it to docs/benchmarks.md, and fails
 * above the maximum. It is not part of `npm test`, because it fails on a busy machine.
 */
import { median } from './lib/benchmarks/median.mjs';
import { runMeasurement } from './lib/benchmarks/run-measurement.mjs';
import { buildApp } from './lib/build-app.mjs';
import { installPackages } from './lib/install-packages.mjs';
import { describeTraces, findExcesses } from './lib/trace/describe-traces.mjs';
import { startFloodFeed } from './lib/trace/flood-feed.mjs';
import { pressFirstGrab, tracePage } from './lib/trace/trace-page.mjs';
import { withRunningApp } from './lib/with-running-app.mjs';

const phone = { width: 375, height: 812 };
const wide = { width: 1_440, height: 900 };
const slowPhone = /** @type {const} */ ({ name: 'phone', viewport: phone, slowdown: 4 });
/** @type {import('./lib/trace/trace-page.mjs').Scene[]} */
const scenes = [
  { name: 'phone', viewport: phone, slowdown: 1 },
  { name: 'wide screen', viewport: wide, slowdown: 1 },
  slowPhone,
];
/** Five recordings of 10 s have 200 events. */
const runs = 5;
const presses = 10;

await runMeasurement('trace', async (steps) => {
  await steps.run('packages', installPackages);
  await steps.run('build', buildApp);
  const measured = await withRunningApp(async (appUrl) => {
    const pressed = await steps.run('first press', (note) => pressOften(appUrl, note));
    const feed = await startFloodFeed(appUrl);
    try {
      const traced = [];
      for (const scene of scenes) {
        const name = scene.slowdown === 1 ? scene.name : `${scene.name}, slow`;
        traced.push(await steps.run(name, (note) => traceOften(feed.url, scene, note)));
      }
      return { traced, pressed };
    } finally {
      feed.stop();
    }
  });
  const { traced, pressed } = measured;
  return { text: describeTraces(traced, pressed), problems: findExcesses(traced, pressed) };
});

/**
 * @param {string} url
 * @param {(text: string) => void} note
 * @returns {Promise<number[]>}
 */
async function pressOften(url, note) {
  const pressed = [];
  for (let press = 0; press < presses; press += 1) pressed.push(await pressFirstGrab(url, slowPhone));
  note(`${pressed.join(', ')} ms`);
  return pressed;
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
