import type { Level } from '../contenders/contender';
import type { Figure, Lab } from '../harness/lab';
import { digits, table, withSpread } from '../harness/report';
import { measureInRounds, type Spreads, spreadsOf } from '../harness/rounds';
import { startWorker, type Worker } from '../servers/worker-process';
import { growShop } from './shop-growth';

const efforts = {
  full: {
    subjects: [1_000, 10_000, 100_000, 1_000_000],
    nodes: [1, 2, 3, 4],
    rounds: 5,
    sliceMs: 1_000,
    warmUpMs: 1_500,
  },
  smoke: { subjects: [10, 100], nodes: [1, 2], rounds: 1, sliceMs: 10, warmUpMs: 10 },
};
const NODE_SUBJECTS = 10_000;
/** A level whose memory and cost do not depend on the hits of a subject, and that refuses no call. */
const levels: readonly Level[] = [{ limit: 1_000_000, windowMs: 3_600_000, algorithm: 'sliding-counter' }];

/** The decisions of all nodes. */
interface Taken {
  perSecond: number;
  /** CPU time of Redis for one decision. */
  redisUs: number;
  /** Share of a core that Redis uses. */
  redisShare: number;
}

/** By the number of subjects, or of nodes. */
interface Row extends Spreads<Taken> {
  count: number;
}

export const growth: Figure = {
  name: 'growth',
  ownLoad: 2,
  async measure(lab) {
    const shop = await growShop(lab);
    const bySubjects = await growSubjects(lab);
    const byNodes = await growNodes(lab);
    return { text: `${shop.text}\n\n${describe(bySubjects, byNodes)}`, goals: shop.goals };
  },
};

async function growSubjects(lab: Lab): Promise<Row[]> {
  const { subjects: steps, rounds, sliceMs } = efforts[lab.size];
  await lab.empty();
  const worker = await startNode(lab, 1);
  const rows: Row[] = [];
  for (const subjects of steps) {
    await worker.call('fill', { gate: 0, subjects, hits: 1 });
    const taken = await measureInRounds([subjects], {
      rounds,
      measure: () => measureTogether([worker], { subjects, forMs: sliceMs }, lab),
      note: (text) => lab.note(`${subjects} subjects, ${text}`),
    });
    rows.push(...toRows(taken));
  }
  return rows;
}

async function growNodes(lab: Lab): Promise<Row[]> {
  const { nodes: steps, rounds, sliceMs } = efforts[lab.size];
  await lab.empty();
  const workers: Worker[] = [];
  while (workers.length < Math.max(...steps)) workers.push(await startNode(lab, NODE_SUBJECTS));
  const taken = await measureInRounds(steps, {
    rounds,
    measure: (nodes) =>
      measureTogether(workers.slice(0, nodes), { subjects: NODE_SUBJECTS, forMs: sliceMs }, lab),
    note: (text) => lab.note(`nodes, ${text}`),
  });
  return toRows(taken);
}

const slice = { gate: 0, inFlight: 64, levels: 1 };

async function startNode(lab: Lab, subjects: number): Promise<Worker> {
  const worker = await startWorker(lab, 'together');
  await worker.call('open', { gate: 0, redisUrl: lab.redisUrl, prefix: 'g:', levels });
  await worker.call('runSlice', { ...slice, subjects, forMs: efforts[lab.size].warmUpMs });
  return worker;
}

async function measureTogether(
  workers: readonly Worker[],
  options: { subjects: number; forMs: number },
  lab: Lab,
): Promise<Taken> {
  const before = await lab.redisCpuUs();
  const startedAt = performance.now();
  const slices = await Promise.all(
    workers.map((worker) => worker.call('runSlice', { ...slice, ...options })),
  );
  const tookUs = (performance.now() - startedAt) * 1000;
  const redisUs = (await lab.redisCpuUs()) - before;
  return {
    perSecond: slices.reduce((sum, { perSecond }) => sum + perSecond, 0),
    redisUs: redisUs / slices.reduce((sum, { calls }) => sum + calls, 0),
    redisShare: redisUs / tookUs,
  };
}

function toRows(taken: Map<number, Taken[]>): Row[] {
  return [...taken].map(([count, rows]) => ({ count, ...spreadsOf(rows) }));
}

function describe(bySubjects: readonly Row[], byNodes: readonly Row[]): string {
  return `${table(
    ['subjects', 'decisions/s', 'CPU of Redis for one, µs'],
    bySubjects.map(({ count, perSecond, redisUs }) => [
      digits(count),
      withSpread(perSecond),
      withSpread(redisUs),
    ]),
  )}

${table(
  ['nodes', 'decisions/s of all', 'CPU of Redis for one, µs', 'Redis, share of a core'],
  byNodes.map(({ count, perSecond, redisUs, redisShare }) => [
    String(count),
    withSpread(perSecond),
    withSpread(redisUs),
    withSpread(redisShare),
  ]),
)}`;
}
