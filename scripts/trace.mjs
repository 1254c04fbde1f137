/**
 * `npm run trace`: measures the load of the page's main thread during a flood, writes it to docs/benchmarks.md, and fails
 * above the maximum. It is not part of `npm test`, because it fails on a busy machine.
 */
import { median } from './lib/benchmarks/median.mjs';
import { runMeasurement } from './lib/benchmarks/run-measurement.mjs';
import { buildApp } from './lib/build-app.mjs';
import { installPackages } from './lib/packages.mjs';
import { describeTraces, findExcesses } from './lib/trace/describe-traces.mjs';
import { startFloodFeed } from './lib/trace/flood-feed.mjs';
import { pressFirstGrab, tracePage } from './lib/trace/trace-page.mjs';
import { withRunningApp } from './lib/with-running-app.mjs';

const phone = { width: 375, height: 812 };
const wide = { width: 1_440, height: 900 };
const slowPhone = /** @type {const} */ ({ name: 'phone', viewport: phone, slowdown: 4, waiting: 0 });
/** A full lane, and as many tickets again. */
const waiting = 200;
/** @type {import('./lib/trace/trace-page.mjs').Scene[]} */
const scenes = [
  { name: 'phone', viewport: phone, slowdown: 1, waiting: 0 },
  { name: 'wide screen', viewport: wide, slowdown: 1, waiting: 0 },
  slowPhone,
  { name: 'phone', viewport: phone, slowdown: 1, waiting },
  { name: 'wide screen', viewport: wide, slowdown: 1, waiting },
  { ...slowPhone, waiting },
];
/** Five recordings of 10 s have 200 events. */
const runs = 5;
const presses = 10;

await runMeasurement('trace', async (steps) => {
  await steps.run('packages', installPackages);
  await steps.run('build', buildApp);
  const measured = await withRunningApp(async (appUrl) => {
    const atOnce = await steps.run('press at once', (note) => pressOften(appUrl, { restMs: 0 }, note));
    const rested = await steps.run('press after 3 s', (note) => pressOften(appUrl, { restMs: 3_000 }, note));
    const pressed = { atOnce, rested };
    const traced = [];
    for (const scene of scenes) {
      const name = [scene.name, scene.slowdown > 1 && 'slow', scene.waiting > 0 && `${scene.waiting} wait`];
      traced.push(
        await steps.run(name.filter(Boolean).join(', '), (note) => traceOften(appUrl, scene, note)),
      );
    }
    return { traced, pressed };
  });
  const { traced, pressed } = measured;
  return { text: describeTraces(traced, pressed), problems: findExcesses(traced, pressed) };
});

/**
 * @param {string} url
 * @param {{ restMs: number }} options
 * @param {(text: string) => void} note
 * @returns {Promise<number[]>}
 */
async function pressOften(url, { restMs }, note) {
  const pressed = [];
  for (let press = 0; press < presses; press += 1)
    pressed.push(await pressFirstGrab(url, { ...slowPhone, restMs }));
  note(`${pressed.join(', ')} ms`);
  return pressed;
}

/**
 * @param {string} appUrl
 * @param {import('./lib/trace/trace-page.mjs').Scene} scene
 * @param {(text: string) => void} note
 * @returns {Promise<import('./lib/trace/describe-traces.mjs').TracedScene>}
 */
async function traceOften(appUrl, scene, note) {
  const feed = await startFloodFeed(appUrl, scene);
  /** @type {import('./lib/trace/trace-page.mjs').PageTrace[]} */
  const traces = [];
  try {
    for (let run = 0; run < runs; run += 1) traces.push(await tracePage(feed.url, scene));
  } finally {
    feed.stop();
  }
  note(`${traces.map(({ busyShare }) => (busyShare * 100).toFixed(1)).join(', ')} % busy`);
  return {
    ...scene,
    runs,
    chromium: traces[0]?.chromium ?? 'unknown',
    busyShare: median(traces.map(({ busyShare }) => busyShare)),
    longestTaskMs: median(traces.map(({ longestTaskMs }) => longestTaskMs)),
    framesPerSecond: median(traces.map(({ framesPerSecond }) => framesPerSecond)),
  };
}
