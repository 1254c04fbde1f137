import { isInstalled } from '../contenders/contender.mjs';
import { contenders } from '../contenders/contenders.mjs';
import { spreadOf } from '../report/spread.mjs';

/**
 * @typedef {import('./cases.mjs').ContenderName} ContenderName
 * @typedef {import('./crew.mjs').Worker} Worker
 * @typedef {import('../report/spread.mjs').Spread} Spread
 */

/**
 * One contender in one case, at one level of concurrency. `rate` and `p50` are ratios to the yardstick of the same round.
 *
 * @typedef {object} Row
 * @property {ContenderName} contender
 * @property {number} inFlight
 * @property {Spread} rate
 * @property {Spread | undefined} p50
 * @property {Spread} perSecond
 * @property {Spread | undefined} p50Us
 * @property {Spread} cpuUs  CPU time of the calling process for one call.
 * @property {Spread} redisUs  CPU time of Redis for one call.
 * @property {number} admitted  Share of admitted calls.
 */

/**
 * The amount of measurement.
 *
 * @typedef {{ rounds: number, sliceMs: number, warmUpMs: number, fill: number }} Effort
 */

/** @type {Record<import('../run/figure').Size, Effort>} */
export const efforts = {
  full: { rounds: 7, sliceMs: 250, warmUpMs: 1_000, fill: 1 },
  quick: { rounds: 3, sliceMs: 30, warmUpMs: 150, fill: 0.1 },
  smoke: { rounds: 1, sliceMs: 10, warmUpMs: 10, fill: 0.01 },
};

/**
 * Measures all contenders in rounds, each between two measurements of the yardstick, every other round in reverse order.
 *
 * @param {import('./cases.mjs').DecisionCase} given
 * @param {{ lab: import('../run/figure').Lab, crew: ReturnType<typeof import("./crew.mjs").createCrew>, gate: number }} on  `gate`: its number.
 * @returns {Promise<{ yardstick: ContenderName, rows: Row[] }>}
 */
export async function measureCase(given, { lab, crew, gate }) {
  const { fill, warmUpMs } = efforts[lab.size];
  const yardstick = isInstalled(contenders[given.yardstick]) ? given.yardstick : 'ceiling';
  const names = given.contenders.filter((name) => isInstalled(contenders[name]));
  await lab.empty();
  const order = { gate, subjects: given.subjects, levels: given.levels.length };
  const workers = [];
  for (const name of [yardstick, ...names]) {
    lab.note(`${given.name}, ${name} begins`);
    const worker = await crew.workerOf(name);
    workers.push(worker);
    await worker.open({ gate, redisUrl: lab.redisUrl, prefix: `${name}:`, levels: given.levels });
    if (given.fillHits && name !== 'ceiling')
      await worker.fill({ gate, subjects: given.subjects, hits: Math.ceil(given.fillHits * fill) });
    // Concurrent calls warm up the JIT compiler. Sequential calls would take minutes.
    await worker.slice({ ...order, inFlight: 64, forMs: warmUpMs });
  }
  return { yardstick, rows: await measureRows(given, { workers, order }, lab) };
}

/**
 * @param {import('./cases.mjs').DecisionCase} given
 * @param {{ workers: readonly Worker[], order: { gate: number, subjects: number, levels: number } }} options  The first
 *   worker is the yardstick.
 * @param {import('../run/figure').Lab} lab
 */
async function measureRows(given, { workers: all, order: orderOfCase }, lab) {
  const { rounds, sliceMs } = efforts[lab.size];
  const [yard, ...workers] = all;
  if (!yard) throw new TypeError('a case has a yardstick');
  /** @type {Row[]} */
  const rows = [];
  for (const inFlight of given.inFlight) {
    const order = { ...orderOfCase, inFlight };
    const slice = async (/** @type {Worker} */ worker) => {
      const before = await lab.redisCpuUs();
      const measured = await worker.slice({ ...order, forMs: sliceMs });
      return { ...measured, redisUs: ((await lab.redisCpuUs()) - before) / measured.calls };
    };
    /** @type {Map<ContenderName, Measured[]>} */
    const taken = new Map(all.map(({ name }) => [name, []]));
    for (const worker of all) await worker.slice({ ...order, forMs: sliceMs });
    for (let round = 0; round < rounds; round += 1) {
      lab.note(`${given.name}, ${inFlight} in flight, round ${round + 1} of ${rounds}`);
      let before = await slice(yard);
      for (const worker of round % 2 === 0 ? workers : workers.toReversed()) {
        const own = await slice(worker);
        const after = await slice(yard);
        taken.get(worker.name)?.push({ ...own, yard: [before, after] });
        taken.get(yard.name)?.push({ ...after, yard: [after, after] });
        before = after;
      }
    }
    for (const [contender, slices] of taken) rows.push(rowOf({ contender, inFlight }, slices));
  }
  return rows;
}

/**
 * @typedef {import('../workers/tasks').Slice & { redisUs: number }} Taken
 * @typedef {Taken & { yard: readonly [Taken, Taken] }} Measured  With the yardstick right before and right after.
 */

/**
 * @param {{ contender: ContenderName, inFlight: number }} what
 * @param {readonly Measured[]} slices
 * @returns {Row}
 */
function rowOf(what, slices) {
  const spread = (/** @type {(slice: Measured) => number} */ read) => spreadOf(slices.map(read));
  const hasLatency = slices.every(({ p50Us }) => p50Us !== undefined);
  const latency = (/** @type {Taken} */ { p50Us }) => p50Us ?? Number.NaN;
  const calls = slices.reduce((sum, slice) => sum + slice.calls, 0);
  return {
    ...what,
    rate: spread(
      ({ perSecond, yard: [before, after] }) => (2 * perSecond) / (before.perSecond + after.perSecond),
    ),
    p50: hasLatency
      ? spread((slice) => (2 * latency(slice)) / (latency(slice.yard[0]) + latency(slice.yard[1])))
      : undefined,
    perSecond: spread(({ perSecond }) => perSecond),
    p50Us: hasLatency ? spread(latency) : undefined,
    cpuUs: spread(({ cpuUs }) => cpuUs),
    redisUs: spread(({ redisUs }) => redisUs),
    admitted: slices.reduce((sum, { admitted }) => sum + admitted, 0) / calls,
  };
}
