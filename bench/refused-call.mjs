/**
 * `npm run bench:refusals`: measures the cost of a refused call over HTTP as a ratio to a bare Node server, writes the
 * numbers to docs/benchmarks.md, and fails if they are above the goal. It is not part of `npm test`, because it fails on a
 * busy machine. `-- --quick` measures little, writes nothing and fails only if an answer is wrong.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { median } from '../scripts/lib/benchmarks/median.mjs';
import { writeSection } from '../scripts/lib/benchmarks/write-section.mjs';
import { bundleServer } from '../scripts/lib/build/bundle-server.mjs';
import { loadEnvFileWithoutSettings } from '../scripts/lib/env-file.mjs';
import { repoRoot } from '../scripts/lib/repo-root.mjs';
import { startAnyRedis } from '../scripts/lib/services/start-redis.mjs';
import { describeError, StepError } from '../scripts/lib/step-error.mjs';
import { createSteps } from '../scripts/lib/steps.mjs';
import { stopOnSignal } from '../scripts/lib/stop-on-signal.mjs';
import { computeRatios, describeRefusedCall, maxRatios } from './http/describe-refused-call.mjs';
import { serve } from './http/served.mjs';

process.chdir(repoRoot);
loadEnvFileWithoutSettings();
stopOnSignal();
const isQuick = process.argv.includes('--quick');
const { rounds, calls, warmUp } = isQuick
  ? { rounds: 1, calls: 200, warmUp: 400 }
  : { rounds: 15, calls: 6_000, warmUp: 10_000 };
const bundle = 'dist/bench-refused-call.js';
const steps = createSteps();

try {
  await steps.run('bundle', () => bundleServer({ entry: 'bench/http/listener-server.ts', outfile: bundle }));
  const { measured, redis } = await withServers(measure);
  if (!isQuick)
    writeSection('docs/benchmarks.md', 'bench:refusals', describeRefusedCall(measured, { calls, redis }));
  const ratios = computeRatios(measured);
  for (const level of /** @type {const} */ (['user', 'global'])) {
    const ratio = median(ratios[level]);
    if (!isQuick && ratio > maxRatios[level]) {
      throw new StepError(
        `A call refused by \`${level}\` costs ${ratio.toFixed(2)} times bare HTTP, the goal is at most ${maxRatios[level]}.`,
      );
    }
  }
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}

/** @typedef {Record<'bare' | 'user' | 'global' | 'adapter', import('./http/served.mjs').Served>} Servers */

/**
 * @param {Servers} servers
 * @returns {Promise<import('./http/describe-refused-call.mjs').Rounds>}
 */
async function measure(servers) {
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
