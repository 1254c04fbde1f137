/**
 * `npm run bench:refusals`: measures the cost of a refused call over HTTP as a ratio to a bare Node server, writes the
 * numbers to docs/benchmarks.md, and fails if they are above the goal. It is not part of `npm test`, because it fails on a
 * busy machine. `-- --quick` measures little, writes nothing and fails only if an answer is wrong.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { median } from '../scripts/lib/benchmarks/median.mjs';
import { runMeasurement } from '../scripts/lib/benchmarks/run-measurement.mjs';
import { bundleServer } from '../scripts/lib/bundle.mjs';
import { startAnyRedis } from '../scripts/lib/services/start-services.mjs';
import { computeRatios, describeRefusedCall, maxRatios } from './http/describe-refused-call.mjs';
import { serve } from './http/served.mjs';

const isQuick = process.argv.includes('--quick');
const { rounds, calls, warmUp } = isQuick
  ? { rounds: 1, calls: 200, warmUp: 400 }
  : { rounds: 15, calls: 6_000, warmUp: 10_000 };
const bundle = 'dist/bench-refused-call.js';

await runMeasurement('bench:refusals', async (steps) => {
  await steps.run('bundle', () => bundleServer({ entry: 'bench/http/listener-server.ts', outfile: bundle }));
  const { measured, redis } = await withServers((servers) => measure(steps, servers));
  if (isQuick) return { problems: [] };
  const ratios = computeRatios(measured);
  const problems = /** @type {const} */ (['user', 'global']).flatMap((level) => {
    const ratio = median(ratios[level]);
    const cost = `A call refused by \`${level}\` costs ${ratio.toFixed(2)} times bare HTTP`;
    return ratio > maxRatios[level] ? [`${cost}, the goal is at most ${maxRatios[level]}.`] : [];
  });
  return { text: describeRefusedCall(measured, { calls, redis }), problems };
});

/** @typedef {Record<'bare' | 'user' | 'global' | 'adapter', import('./http/served.mjs').Served>} Servers */

/**
 * @param {import('../scripts/lib/steps.mjs').Steps} steps
 * @param {Servers} servers
 * @returns {Promise<import('./http/describe-refused-call.mjs').Rounds>}
 */
async function measure(steps, servers) {
  const { cookies } = servers.user;
  const sequence = Object.values(servers);
  await steps.run('warm up', async () => {
    for (const server of sequence) await server.warm(warmUp, cookies);
  });
  /** @type {Map<import('./http/served.mjs').Served, number[]>} */
  const costs = new Map(sequence.map((server) => [server, []]));
  for (let round = 1; round <= rounds; round += 1) {
    await steps.run(`round ${round}`, async (note) => {
      for (const server of sequence) costs.get(server)?.push((await server.cost(calls, cookies)).cpuUs);
      note(
        `${Object.values(servers)
          .map((server) => costs.get(server)?.at(-1)?.toFixed(1))
          .join(', ')} µs`,
      );
    });
    sequence.reverse();
  }
  /** @param {keyof Servers} name */
  const costsOf = (name) => costs.get(servers[name]) ?? [];
  return {
    bare: costsOf('bare'),
    user: costsOf('user'),
    global: costsOf('global'),
    adapter: costsOf('adapter'),
  };
}

/**
 * Starts the four servers on a separate Redis, runs the measurement, and stops everything.
 *
 * @template T
 * @param {(servers: Servers) => Promise<T>} run
 * @returns {Promise<{ measured: T, redis: string }>}
 */
async function withServers(run) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-bench-'));
  /** @type {(() => Promise<void>)[]} */
  const stops = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  /** @param {Parameters<typeof serve>} server */
  const start = async (...server) => {
    const served = await serve(...server);
    stops.unshift(served.stop);
    return served;
  };
  try {
    const redis = await startAnyRedis({ dir: path.join(folder, 'redis') });
    stops.unshift(redis.stop);
    const servers = {
      bare: await start('bench/http/bare-server.mjs', [], { status: 200 }),
      user: await start(bundle, ['shed', 'user-full', redis.url], { status: 429 }),
      global: await start(bundle, ['shed', 'global-full', redis.url], { status: 429 }),
      adapter: await start(bundle, ['adapter', 'global-full', redis.url], { status: 429 }),
    };
    return { measured: await run(servers), redis: redis.about.split(',')[0] ?? '' };
  } finally {
    for (const stop of stops) await stop();
  }
}
