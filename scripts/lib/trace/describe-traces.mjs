import { describeMachine } from '../benchmarks/describe-machine.mjs';
import { flood } from './flood-feed.mjs';
import { RECORDED_MS } from './trace-page.mjs';

/** The maximum busy share of the main thread, from 0 to 1, by CPU throttling factor. */
const MAX_BUSY_SHARES = /** @type {const} */ ({ 1: 0.1, 4: 0.12 });

/**
 * The medians of the runs of one scene.
 *
 * @typedef {import('./trace-page.mjs').Scene & import('./trace-page.mjs').PageTrace & { runs: number }} TracedScene
 */

/**
 * Formats the section of docs/benchmarks.md: first the method, then the numbers.
 *
 * @param {TracedScene[]} scenes
 * @returns {string}
 */
export function describeTraces(scenes) {
  const { runs = 0, chromium = '' } = scenes[0] ?? {};
  return `## Main thread under a flood

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
 * @returns {string[]} One sentence for each scene above the maximum.
 */
export function findExcesses(scenes) {
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

/** @param {number} share */
function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
