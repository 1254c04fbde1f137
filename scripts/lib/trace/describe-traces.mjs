import { describeMachine } from '../benchmarks/describe-machine.mjs';
import { flood } from './flood-feed.mjs';
import { RECORDED_MS } from './trace-page.mjs';

/** The maximum busy share of the main thread, from 0 to 1, by CPU throttling factor. */
const MAX_BUSY_SHARES = /** @type {const} */ ({ 1: 0.1, 4: 0.12 });

/** The maximum time from the first press to the next paint with the CPU four times slower, 75th percentile, in ms. */
const MAX_PRESS_MS = 100;

/**
 * The medians of the runs of one scene.
 *
 * @typedef {import('./trace-page.mjs').Scene & import('./trace-page.mjs').PageTrace & { runs: number }} TracedScene
 */

/**
 * Formats the section of docs/benchmarks.md: first the method, then the numbers.
 *
 * @param {TracedScene[]} scenes
 * @param {readonly number[]} presses  From the first press to the next paint in new browsers, in ms.
 * @returns {string}
 */
export function describeTraces(scenes, presses) {
  const { runs = 0, chromium = '' } = scenes[0] ?? {};
  return `## First press

\`npm run trace\` opens the sale of the production build ${presses.length} times, each in a new headless Chromium of 375 × 812 with the
processor four times slower, and presses the first Grab 3 s after the page has loaded. From the press to the next paint it takes
**${upperQuartile(presses)} ms** (75th percentile; ${Math.min(...presses)} to ${Math.max(...presses)} ms, in steps of 8), by the Event Timing API. The command fails above ${MAX_PRESS_MS} ms. The window is
larger than the viewport: in a window of its size, the button at the lower edge is never painted, and the press seems to take
until the reply has changed the page (128 to 264 ms).

The button changes its colours without a transition: the events of the transitions of a press, which React listens to, took
30 ms of a frame of 49 ms. \`e2e/first-click.spec.ts\` checks this.

## Main thread under a flood

\`npm run trace\` opens the sale of the production build in a new headless Chromium, behind a proxy that simulates
\`/api/live\` and passes all other requests to the app: ${flood.eventsPerSecond} events a second, a full global window with ${flood.limit} hits of which
${flood.hitsPerSecond} leave and ${flood.hitsPerSecond} arrive each second, ${flood.refusedPerEvent} refusals and one coupon less in stock per event. With the meter visible, it
waits until the page is stable, then records ${RECORDED_MS / 1_000} s of Chromium's trace. Busy is the share of that time in which the page's
main thread ran any task, including the recording. Each number is the median of ${runs} runs. The command fails from
${percent(MAX_BUSY_SHARES[1])} on the unthrottled processor, and from ${percent(MAX_BUSY_SHARES[4])} on one that is four times slower, which represents a mid-range
phone, as in Lighthouse. The ${runs} recordings of a view have ${(runs * flood.eventsPerSecond * RECORDED_MS) / 1_000} events. \`e2e/flood-ticks.spec.ts\` counts the redraws of each event.

Chromium ${chromium.split('.')[0]}, ${describeMachine()}.

| view | processor | busy | longest task |
| --- | --- | ---: | ---: |
${scenes.map(row).join('\n')}`;
}

/**
 * @param {TracedScene[]} scenes
 * @param {readonly number[]} presses
 * @returns {string[]} One sentence for each number above its maximum.
 */
export function findExcesses(scenes, presses) {
  const pressMs = upperQuartile(presses);
  const slowPress = `The first press is painted after ${pressMs} ms, at most ${MAX_PRESS_MS} ms are promised.`;
  return [...findBusyScenes(scenes), ...(pressMs > MAX_PRESS_MS ? [slowPress] : [])];
}

/** @param {TracedScene[]} scenes */
function findBusyScenes(scenes) {
  return scenes.flatMap(({ name, slowdown, busyShare }) => {
    const maxShare = MAX_BUSY_SHARES[slowdown];
    if (busyShare < maxShare) return [];
    const processor = slowdown === 1 ? '' : `, ${slowdown} times slower`;
    return [
      `${name}${processor}: the main thread is ${percent(busyShare)} busy, less than ${percent(maxShare)} is promised.`,
    ];
  });
}

/** @param {TracedScene} scene */
function row({ name, viewport, slowdown, busyShare, longestTaskMs }) {
  const processor = slowdown === 1 ? 'as it is' : `${slowdown} times slower`;
  return `| ${name}, ${viewport.width} × ${viewport.height} | ${processor} | ${percent(busyShare)} | ${Math.round(longestTaskMs)} ms |`;
}

/** @param {readonly number[]} values */
function upperQuartile(values) {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.75) - 1] ?? Number.NaN;
}

/** @param {number} share */
function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
