import { linePlot } from '../report/lines.mjs';
import { digits, withSpread } from '../report/numbers.mjs';
import { spreadOf } from '../report/spread.mjs';
import { table } from '../report/table.mjs';
import { startWorker } from '../workers/start-worker.mjs';

/**
 * @typedef {import('../report/spread.mjs').Spread} Spread
 * @typedef {Awaited<ReturnType<typeof startWorker>>} Worker
 * @typedef {{ subjects: number, perSecond: Spread, redisUs: Spread }} BySubjects
 * @typedef {{ nodes: number, perSecond: Spread, redisUs: Spread, redisShare: Spread }} ByNodes
 */

const efforts = {
  full: {
    subjects: [1_000, 10_000, 100_000, 1_000_000],
    nodes: [1, 2, 3, 4],
    rounds: 5,
    sliceMs: 1_000,
    warmUpMs: 1_500,
  },
  quick: { subjects: [1_000, 10_000, 50_000], nodes: [1, 2, 4], rounds: 2, sliceMs: 100, warmUpMs: 200 },
  smoke: { subjects: [10, 100], nodes: [1, 2], rounds: 1, sliceMs: 10, warmUpMs: 10 },
};
/**
 * A level whose memory and cost do not depend on the hits of a subject, and that refuses no call.
 *
 * @type {readonly import('../contenders/contender.mjs').Level[]}
 */
const levels = [{ limit: 1_000_000, windowMs: 3_600_000, algorithm: 'sliding-counter' }];
const slice = { gate: 0, inFlight: 64, levels: 1 };

/** @type {import('../run/figure').Figure} */
export const growth = {
  name: 'growth',
  title: 'Growth',
  ownLoad: 2,
  async measure(lab) {
    const bySubjects = await growSubjects(lab);
    const byNodes = await growNodes(lab);
    return {
      text: describe(bySubjects, byNodes, efforts[lab.size]),
      goals: [],
      plots: {
        'growth-subjects.svg': linePlot({
          title: 'Decisions per second of one node, by subjects that Redis holds',
          across: 'subjects',
          isLogarithmic: true,
          lines: [
            {
              label: 'decisions/s',
              points: bySubjects.map(({ subjects, perSecond }) => ({ x: subjects, y: perSecond })),
            },
          ],
        }),
        'growth-nodes.svg': linePlot({
          title: 'Decisions per second of all nodes on one Redis',
          across: 'nodes',
          lines: [
            {
              label: 'decisions/s',
              points: byNodes.map(({ nodes, perSecond }) => ({ x: nodes, y: perSecond })),
            },
          ],
        }),
      },
      data: { bySubjects, byNodes },
    };
  },
};

/** @param {import('../run/figure').Lab} lab */
async function growSubjects(lab) {
  const { subjects: steps, rounds, sliceMs, warmUpMs } = efforts[lab.size];
  await lab.empty();
  const worker = await startWorker('together');
  lab.onEnd(worker.stop);
  await worker.open({ gate: 0, redisUrl: lab.redisUrl, prefix: 'g:', levels });
  await worker.slice({ ...slice, subjects: 1, forMs: warmUpMs });
  /** @type {BySubjects[]} */
  const found = [];
  for (const subjects of steps) {
    lab.note(`growth, ${subjects} subjects`);
    await worker.fill({ gate: 0, subjects, hits: 1 });
    const rows = [];
    for (let round = 0; round < rounds; round += 1)
      rows.push(await measureTogether([worker], { subjects, forMs: sliceMs }, lab));
    found.push({
      subjects,
      perSecond: spreadOf(rows.map(({ perSecond }) => perSecond)),
      redisUs: spreadOf(rows.map(({ redisUs }) => redisUs)),
    });
  }
  return found;
}

/** @param {import('../run/figure').Lab} lab */
async function growNodes(lab) {
  const { nodes: steps, rounds, sliceMs, warmUpMs } = efforts[lab.size];
  await lab.empty();
  /** @type {Worker[]} */
  const workers = [];
  for (let node = 0; node < Math.max(...steps); node += 1) {
    const worker = await startWorker('together');
    lab.onEnd(worker.stop);
    await worker.open({ gate: 0, redisUrl: lab.redisUrl, prefix: 'g:', levels });
    await worker.slice({ ...slice, subjects: 10_000, forMs: warmUpMs });
    workers.push(worker);
  }
  /** @type {Map<number, Awaited<ReturnType<typeof measureTogether>>[]>} */
  const taken = new Map(steps.map((nodes) => [nodes, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const nodes of round % 2 === 0 ? steps : steps.toReversed()) {
      lab.note(`growth, ${nodes} nodes, round ${round + 1}`);
      taken
        .get(nodes)
        ?.push(await measureTogether(workers.slice(0, nodes), { subjects: 10_000, forMs: sliceMs }, lab));
    }
  }
  return [...taken].map(([nodes, rows]) => ({
    nodes,
    perSecond: spreadOf(rows.map(({ perSecond }) => perSecond)),
    redisUs: spreadOf(rows.map(({ redisUs }) => redisUs)),
    redisShare: spreadOf(rows.map(({ redisShare }) => redisShare)),
  }));
}

/**
 * @param {readonly Worker[]} workers
 * @param {{ subjects: number, forMs: number }} options
 * @param {import('../run/figure').Lab} lab
 */
async function measureTogether(workers, options, lab) {
  const before = await lab.redisCpuUs();
  const startedAt = performance.now();
  const slices = await Promise.all(workers.map((worker) => worker.slice({ ...slice, ...options })));
  const tookUs = (performance.now() - startedAt) * 1000;
  const redisUs = (await lab.redisCpuUs()) - before;
  return {
    perSecond: slices.reduce((sum, { perSecond }) => sum + perSecond, 0),
    redisUs: redisUs / slices.reduce((sum, { calls }) => sum + calls, 0),
    redisShare: redisUs / tookUs,
  };
}

/**
 * @param {readonly BySubjects[]} bySubjects
 * @param {readonly ByNodes[]} byNodes
 * @param {{ rounds: number, sliceMs: number }} effort
 */
function describe(bySubjects, byNodes, { rounds, sliceMs }) {
  return `The limiter with default options and a sliding counter of an hour per subject that never fills, 64 in flight at each node, ${rounds}
rounds of ${sliceMs} ms. Subjects are called in an order far from that of their creation. A node is a process. More nodes than cores
share the cores, so compare the CPU of Redis per decision, because all nodes of a fleet share Redis.

![Decisions per second by subjects](benchmarks/growth-subjects.svg)

${table(
  ['subjects', 'decisions/s', 'CPU of Redis for one, µs'],
  bySubjects.map(({ subjects, perSecond, redisUs }) => [
    digits(subjects),
    withSpread(perSecond),
    withSpread(redisUs),
  ]),
)}

![Decisions per second by nodes](benchmarks/growth-nodes.svg)

${table(
  ['nodes', 'decisions/s of all', 'CPU of Redis for one, µs', 'Redis, share of a core'],
  byNodes.map(({ nodes, perSecond, redisUs, redisShare }) => [
    String(nodes),
    withSpread(perSecond),
    withSpread(redisUs),
    withSpread(redisShare),
  ]),
)}`;
}
