import { createRequire } from 'node:module';
import { describeMachine } from '../../scripts/lib/benchmarks/describe-machine.mjs';
import { median } from '../../scripts/lib/benchmarks/median.mjs';
import { CONNECTIONS } from '../run/load-server.mjs';

/**
 * Goals for the CPU time of a refused call relative to the yardstick, by refusing level. The condition of `global` reads
 * the input of the call.
 */
export const maxRatios = { user: 2, global: 3 };

/**
 * CPU per call in microseconds, one entry per round.
 *
 * @typedef {Record<'bare' | 'user' | 'global' | 'adapter', number[]>} Rounds
 */

/**
 * @param {Rounds} rounds
 * @returns {Record<'user' | 'global' | 'adapter', number[]>} Each round's ratio to the yardstick of the same round.
 */
export function computeRatios({ bare, user, global, adapter }) {
  /** @param {number[]} costs */
  const toBare = (costs) => costs.map((cost, round) => cost / (bare[round] ?? Number.NaN));
  return { user: toBare(user), global: toBare(global), adapter: toBare(adapter) };
}

/**
 * Writes the section of docs/benchmarks.md, with the method first, so that readers can judge the numbers.
 *
 * @param {Rounds} rounds
 * @param {{ calls: number, redis: string }} method
 * @returns {string}
 */
export function describeRefusedCall(rounds, { calls, redis }) {
  const ratios = computeRatios(rounds);
  const { version } = createRequire(import.meta.url)('@trpc/server/package.json');
  return `## A refused call

\`npm run bench:refusals\` bundles the product's listener as \`npm run build\` does, in front of \`coupon.seckill\` with windows of
an hour. It fills them and sends the calls of 50 signed-in shoppers as a browser does, over ${CONNECTIONS} loopback connections. It
measures the CPU time (user and system) of the server's process over ${calls} calls, each answered 429. The baseline is
\`createServer((_req, res) => res.end('ok'))\` in its own process under the same load, each answer 200. Each of ${rounds.bare.length} rounds
measures all of them once, every other round in reverse order. A ratio compares two numbers of one round. The run fails if
a median is above its goal: ${maxRatios.user} for the level \`user\`, ${maxRatios.global} for \`global\`, whose condition reads the body.

tRPC ${version}, ${redis}, ${describeMachine('send the load')}.

| answer | CPU per call, median | ÷ bare HTTP, median | lowest to highest |
| --- | ---: | ---: | ---: |
| bare Node HTTP, \`ok\` | ${micros(rounds.bare)} | 1 | |
| refused by \`user\` before tRPC runs, as in the product | ${micros(rounds.user)} | ${ratio(median(ratios.user))} | ${spread(ratios.user)} |
| refused by \`global\`, also before tRPC | ${micros(rounds.global)} | ${ratio(median(ratios.global))} | ${spread(ratios.global)} |
| refused by \`global\`, by tRPC | ${micros(rounds.adapter)} | ${ratio(median(ratios.adapter))} | ${spread(ratios.adapter)} |

No refusal of this run calls Redis: the node has cached the denials.`;
}

/** @param {number[]} costs */
function micros(costs) {
  return `${median(costs).toFixed(1)} µs`;
}

/** @param {number[]} ratios */
function spread(ratios) {
  return `${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`;
}

/** @param {number} value */
function ratio(value) {
  return value.toFixed(2);
}
