import { loadLimiter } from '../contenders/bundles.mjs';
import { connect } from '../contenders/connect.mjs';
import { contenders } from '../contenders/contenders.mjs';
import { createCrew } from '../decisions/crew.mjs';
import { digits, withSpread } from '../report/numbers.mjs';
import { spreadOf } from '../report/spread.mjs';
import { table } from '../report/table.mjs';
import { timedScripts } from './scripts.mjs';

/**
 * @typedef {import('../report/spread.mjs').Spread} Spread
 * @typedef {{ name: string, tookUs: Spread, cpuUs: Spread }} ScriptRow
 * @typedef {{ name: string, cpuUs: number, parts: Record<string, number> }} CallerRow
 */

/** Maximum number of pending calls. */
const MAX_PENDING = 100;

const efforts = {
  full: { rounds: 9, calls: 2_000, sliceMs: 2_000 },
  quick: { rounds: 3, calls: 200, sliceMs: 200 },
  smoke: { rounds: 1, calls: 20, sliceMs: 20 },
};

/** @type {import('../run/figure').Figure} */
export const profile = {
  name: 'profile',
  title: 'Where the time of a decision goes',
  ownLoad: 2,
  async measure(lab) {
    const scripts = await timeScripts(lab);
    const callers = await profileCallers(lab);
    return {
      text: describe(scripts, callers, efforts[lab.size]),
      goals: [],
      plots: {},
      data: { scripts, callers },
    };
  },
};

/**
 * Times the scripts by Redis's statistics of `EVALSHA` and `FCALL`.
 *
 * @param {import('../run/figure').Lab} lab
 * @returns {Promise<ScriptRow[]>}
 */
async function timeScripts(lab) {
  const { rounds, calls } = efforts[lab.size];
  const { defineFunction, defineScript } = await loadLimiter('together');
  await lab.empty();
  const { client, stop } = await connect(lab.redisUrl);
  lab.onEnd(stop);
  const decide = /** @type {const} */ ({ file: 'limiter/decide.lua', numberOfKeys: 'variable' });
  const scripts = timedScripts({
    script: (lua) => {
      const sha = client.script('LOAD', lua).then(String);
      return async (keys, args) => client.evalsha(await sha, keys.length, ...keys, ...args);
    },
    decide: defineFunction(client, { command: 'benchDecide', ...decide }),
    decideAsScript: defineScript(client, { command: 'benchDecideAsScript', ...decide }),
  });
  /** @type {Map<string, { tookUs: number, cpuUs: number }[]>} */
  const taken = new Map(scripts.map(({ name }) => [name, []]));
  let index = 0;
  for (let round = 0; round <= rounds; round += 1) {
    lab.note(`profile, scripts, round ${round} of ${rounds}`);
    for (const { name, run, call, decisions } of round % 2 === 0 ? scripts : scripts.toReversed()) {
      await client.config('RESETSTAT');
      const cpuBefore = await lab.redisCpuUs();
      const runs = Math.ceil(calls / decisions);
      for (let sent = 0; sent < runs; sent += MAX_PENDING) {
        const batch = Array.from({ length: Math.min(MAX_PENDING, runs - sent) }, () => {
          const { keys, args } = call(index++);
          return run(keys, args);
        });
        await Promise.all(batch);
      }
      const cpuUs = ((await lab.redisCpuUs()) - cpuBefore) / runs / decisions;
      const [, us] =
        (await client.info('commandstats')).match(/cmdstat_(?:evalsha|fcall):.*usec_per_call=([\d.]+)/) ?? [];
      // The first round is the warm-up.
      if (round > 0) taken.get(name)?.push({ tookUs: Number(us) / decisions, cpuUs });
    }
  }
  return [...taken].map(([name, runs]) => ({
    name,
    tookUs: spreadOf(runs.map(({ tookUs }) => tookUs)),
    cpuUs: spreadOf(runs.map(({ cpuUs }) => cpuUs)),
  }));
}

/**
 * @param {import('../run/figure').Lab} lab
 * @returns {Promise<CallerRow[]>}
 */
async function profileCallers(lab) {
  const { sliceMs } = efforts[lab.size];
  const crew = createCrew(lab);
  const rows = [];
  for (const name of /** @type {const} */ (['ceiling', 'log', 'together'])) {
    lab.note(`profile, ${name}`);
    const worker = await crew.workerOf(name);
    const slice = { gate: 0, inFlight: 64, subjects: 10_000, levels: 1, forMs: sliceMs };
    const levels = [{ limit: 100, windowMs: 10_000 }];
    await worker.open({ gate: 0, redisUrl: lab.redisUrl, prefix: `${name}:`, levels });
    await worker.slice(slice);
    const { cpuUs } = await worker.slice(slice);
    rows.push({ name: contenders[name].name, cpuUs, parts: await worker.profile(slice) });
  }
  return rows;
}

/**
 * @param {readonly ScriptRow[]} scripts
 * @param {readonly CallerRow[]} callers
 * @param {{ rounds: number, calls: number }} effort
 */
function describe(scripts, callers, { rounds, calls }) {
  const parts = [...new Set(callers.flatMap((row) => Object.keys(row.parts)))].toSorted();
  return `In Redis, ${rounds} rounds of ${calls} decisions each: the duration of \`EVALSHA\` or \`FCALL\` (\`INFO commandstats\`; on a busy
machine it includes the time of other processes), and the CPU time including reading the command and writing the reply.

${table(
  ['script', 'the script took, µs', 'CPU of Redis, µs'],
  scripts.map(({ name, tookUs, cpuUs }) => [name, withSpread(tookUs), withSpread(cpuUs)]),
)}

In the calling process, 64 in flight: the CPU time of one decision in µs, divided by the source of the sampled functions
(V8's CPU profile).

${table(
  ['contender', 'in all', ...parts],
  callers.map(({ name, cpuUs, parts: own }) => [
    name,
    digits(cpuUs),
    ...parts.map((part) => digits((own[part] ?? 0) * cpuUs)),
  ]),
)}

Compared with \`return 1\`, a single decision adds TIME, one read and one write in Redis, which every window needs, and half as
much again for the decision and the reply. As a script it would cost twice as much. The caller pays for the arguments, the
reply and the limiter's state, on top of the cost of any command: a separate write to the socket (most of *Node*). The
decisions of a batch share most of both, so Redis is the limit.`;
}
