import { describeMachine } from '../benchmarks/describe-machine.mjs';
import { flood } from './flood-feed.mjs';
import { RECORDED_MS } from './trace-page.mjs';

/** The maximum busy share of the main thread, from 0 to 1, by CPU throttling factor. */
const MAX_BUSY_SHARES = /** @type {const} */ ({ 1: 0.1, 4: 0.12 });

/** The minimum number of frames a second, of 60. */
const MIN_FRAME_RATE = 55;

/** The maximum time from the first press to the next paint with the CPU four times slower, 75th percentile, in ms. */
const MAX_PRESS_MS = 100;

/**
 * The medians of the runs of one scene.
 *
 * @typedef {import('./trace-page.mjs').Scene & import('./trace-page.mjs').PageTrace & { runs: number }} TracedScene
 */

/**
 * The times from the first press to the next paint in new browsers, in ms: pressed when the page has loaded, and 3 s later.
 *
 * @typedef {{ atOnce: readonly number[], rested: readonly number[] }} Presses
 */

/**
 * Formats the section of docs/benchmarks.md: first the method, then the numbers.
 *
 * @param {TracedScene[]} scenes
 * @param {Presses} presses
 * @returns {string}
 */
export function describeTraces(scenes, presses) {
  const { runs = 0, chromium = '' } = scenes[0] ?? {};
  return `## First press

\`npm run trace\` opens the sale of the production build ${presses.atOnce.length} times, each in a new headless Chromium of 375 × 812 with the
processor four times slower, and presses the first Grab as soon as the page has loaded. From the press to the next paint it takes
**${describePresses(presses.atOnce)}**; ${presses.rested.length} more times, pressed 3 s later, ${describePresses(presses.rested)} (75th percentile, in steps of 8 ms, by
the Event Timing API). The command fails above ${MAX_PRESS_MS} ms. The window is larger than the viewport: in a window of its size,
the button at the lower edge is never painted, and the press seems to take until the reply has changed the page (128 to
264 ms).

The button changes its colours without a transition: the events of the transitions of a press, which React listens to, took
30 ms of a frame of 49 ms. \`e2e/first-click.spec.ts\` checks this.

## Main thread under a flood

\`npm run trace\` opens the sale of the production build in a new headless Chromium, behind a proxy that simulates
\`/api/live\` and passes all other requests to the app: ${flood.eventsPerSecond} events a second, a full global window with ${flood.limit} hits of which
${flood.hitsPerSecond} leave and ${flood.hitsPerSecond} arrive each second, ${flood.refusedPerEvent} refusals and one coupon less in stock per event. With the meter visible, it
waits until the page is stable, then records ${RECORDED_MS / 1_000} s of Chromium's trace. Busy is the share of that time in which the page's
main thread ran any task, including the recording. Each number is the median of ${runs} runs. The command fails from
${percent(MAX_BUSY_SHARES[1])} on the unthrottled processor, and from ${percent(MAX_BUSY_SHARES[4])} on one that is four times slower, which represents a mid-range
phone, as in Lighthouse. In some scenes, tickets wait behind the window, ${flood.hitsPerSecond} are served and ${flood.hitsPerSecond} join each second, and each
event draws the lane to the right of *now* anew. The frames are those that the compositor drew; the command fails below ${MIN_FRAME_RATE}.
The ${runs} recordings of a view have ${(runs * flood.eventsPerSecond * RECORDED_MS) / 1_000} events. \`e2e/flood-ticks.spec.ts\` counts the redraws of each event.

Chromium ${chromium.split('.')[0]}, ${describeMachine()}.

| view | tickets that wait | processor | busy | longest task | frames a second |
| --- | ---: | --- | ---: | ---: | ---: |
${scenes.map(row).join('\n')}`;
}

/**
 * @param {TracedScene[]} scenes
 * @param {Presses} presses
 * @returns {string[]} One sentence for each number outside of its bounds.
 */
export function findExcesses(scenes, presses) {
  const slow = Object.values(presses)
    .map(upperQuartile)
    .filter((pressMs) => pressMs > MAX_PRESS_MS);
  return [
    ...findScenesOutside(scenes),
    ...slow.map(
      (pressMs) => `The first press is painted after ${pressMs} ms, at most ${MAX_PRESS_MS} ms are promised.`,
    ),
  ];
}

/** @param {TracedScene[]} scenes */
function findScenesOutside(scenes) {
  return scenes.flatMap(({ name, slowdown, waiting, busyShare, framesPerSecond }) => {
    const maxShare = MAX_BUSY_SHARES[slowdown];
    const processor = slowdown === 1 ? '' : `, ${slowdown} times slower`;
    const queue = waiting === 0 ? '' : `, ${waiting} wait`;
    const busy = `the main thread is ${percent(busyShare)} busy, less than ${percent(maxShare)} is promised.`;
    const slow = `${framesPerSecond.toFixed(1)} frames a second are drawn, at least ${MIN_FRAME_RATE} are promised.`;
    return [
      ...(busyShare < maxShare ? [] : [busy]),
      ...(framesPerSecond >= MIN_FRAME_RATE ? [] : [slow]),
    ].map((problem) => `${name}${processor}${queue}: ${problem}`);
  });
}

/** @param {TracedScene} scene */
function row({ name, viewport, waiting, slowdown, busyShare, longestTaskMs, framesPerSecond }) {
  const processor = slowdown === 1 ? 'as it is' : `${slowdown} times slower`;
  const view = `${name}, ${viewport.width} × ${viewport.height}`;
  return `| ${view} | ${waiting} | ${processor} | ${percent(busyShare)} | ${Math.round(longestTaskMs)} ms | ${framesPerSecond.toFixed(1)} |`;
}

/** @param {readonly number[]} presses */
function describePresses(presses) {
  return `${upperQuartile(presses)} ms (${Math.min(...presses)} to ${Math.max(...presses)})`;
}

/** @param {readonly number[]} values */
function upperQuartile(values) {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.75) - 1] ?? Number.NaN;
}

/** @param {number} share */
function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
