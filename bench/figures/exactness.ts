import pLimit from 'p-limit';
import { isInstalled } from '../contenders/contender';
import { type ContenderName, contenderOf, titleOf } from '../contenders/contenders';
import type { Figure, Lab } from '../harness/lab';
import { digits, table } from '../harness/report';
import { spreadOf } from '../harness/rounds';
import type { AdmittedSpan, Burst } from '../servers/worker';
import { startWorker, type Worker } from '../servers/worker-process';

const probed: readonly ContenderName[] = [
  ...(['together', 'counter', 'fixed', 'token'] as const),
  ...(['flexible', 'upstash', 'express', 'fourCommands', 'tutorialLua'] as const),
];
const LIMIT = 100;
/** A whole second: the minimum of one contender. */
const WINDOW_MS = 1_000;
const CLOCK_AHEAD_MS = 30_000;
const repeats = { full: 3, smoke: 1 };
/** Concurrent contenders. They mostly wait. */
const AT_ONCE = 3;

/** A sequence of calls for which a limiter admits more or less than its limit. */
interface Probe {
  name: string;
  by: 'one process' | 'two processes' | 'two clocks';
  /** True if it begins on a whole window of the clock, as fixed windows do. */
  beginsAtEdge?: boolean;
  /** Of each process. */
  bursts: readonly (readonly Burst[])[];
}

const probes: readonly Probe[] = [
  {
    name: 'edge',
    by: 'one process',
    beginsAtEdge: true,
    bursts: [
      [
        { atMs: 0, calls: 1 },
        ...[0.9, 1.06, 1.3].map((windows) => ({ atMs: windows * WINDOW_MS, calls: 2 * LIMIT })),
      ],
    ],
  },
  {
    name: 'hammer',
    by: 'one process',
    bursts: [
      Array.from({ length: 80 }, (_, step) => ({
        atMs: (step / 20) * WINDOW_MS,
        calls: Math.ceil((6 * LIMIT) / 20),
      })),
    ],
  },
  {
    name: 'race',
    by: 'two processes',
    bursts: [[{ atMs: 0, calls: 5 * LIMIT }], [{ atMs: 0, calls: 5 * LIMIT }]],
  },
  {
    name: 'clock',
    by: 'two clocks',
    bursts: [
      [0, 0.2].map((windows) => ({ atMs: windows * WINDOW_MS, calls: 2 * LIMIT })),
      [0.1, 0.3].map((windows) => ({ atMs: windows * WINDOW_MS, calls: 2 * LIMIT })),
    ],
  },
];

/** `worst` by probe, as parts of the limit. */
interface Row {
  name: ContenderName;
  worst: readonly number[];
  hammered: number;
}

export const exactness: Figure = {
  name: 'exactness',
  ownLoad: 2,
  async measure(lab) {
    await lab.empty();
    const installed = probed.filter((name) => isInstalled(contenderOf(name)));
    const chosen = lab.size === 'smoke' ? installed.slice(0, 1) : installed;
    const limit = pLimit(AT_ONCE);
    const rows = await Promise.all(chosen.map((name) => limit(() => probeContender(name, lab))));
    const own = rows.filter(({ name }) => name === 'together' || name === 'counter');
    return {
      text: describe(rows),
      goals: own.map(({ name, worst }) => ({
        what: `worst window ÷ limit, ${contenderOf(name).name}`,
        bound: { max: 1 },
        reached: spreadOf([Math.max(...worst)]),
      })),
    };
  },
};

async function probeContender(name: ContenderName, lab: Lab): Promise<Row> {
  const first = await startWorker(lab, name);
  const second = await startWorker(lab, name);
  const ahead = await startWorker(lab, name, { clockOffsetMs: CLOCK_AHEAD_MS });
  const workersOf = {
    'one process': [first],
    'two processes': [first, second],
    'two clocks': [first, ahead],
  };
  let gate = 0;
  const open = async (workers: readonly Worker[], prefix: string) => {
    gate += 1;
    const levels = [{ limit: LIMIT, windowMs: WINDOW_MS }];
    for (const worker of workers)
      await worker.call('open', { gate, redisUrl: lab.redisUrl, prefix: `${name}:${prefix}:`, levels });
  };
  // The first calls of a process are not its fastest.
  const workers = [first, second, ahead];
  await open(workers, 'warm');
  for (const worker of workers)
    await worker.call('playBursts', { gate, startUs: nowUs(), bursts: [{ atMs: 0, calls: 4 * LIMIT }] });

  const worst: number[] = [];
  let hammered = 0;
  for (const { name: called, by, beginsAtEdge = false, bursts } of probes) {
    let most = 0;
    for (let time = 0; time < repeats[lab.size]; time += 1) {
      lab.note(`${name}, ${called}`);
      await open(workersOf[by], `${called}:${time}`);
      const startUs = nowUs() + Math.ceil(untilStartMs({ beginsAtEdge }) * 1000);
      const played = await Promise.all(
        workersOf[by].map((worker, index) =>
          worker.call('playBursts', { gate, startUs, bursts: bursts[index] ?? [] }),
        ),
      );
      const admitted = played.flat();
      most = Math.max(most, maxWithin(admitted, WINDOW_MS));
      if (called === 'hammer')
        hammered += admitted.filter(([sentAt]) => sentAt >= 2 * WINDOW_MS).length / repeats[lab.size];
    }
    worst.push(most / LIMIT);
  }
  for (const worker of workers) await worker.stop();
  return { name, worst, hammered: hammered / (2 * LIMIT) };
}

/**
 * Returns the largest number of calls that were certainly decided within less than one window: each was sent no earlier
 * than the first, and answered less than one window later. A limiter that is exact to the millisecond never exceeds its
 * limit here, for any decision time between request and reply. Times are in ms.
 */
export function maxWithin(admitted: readonly AdmittedSpan[], windowMs: number): number {
  let most = 0;
  for (const [from] of admitted) {
    const until = from + windowMs - 1;
    let count = 0;
    for (const [sent, answered] of admitted) if (sent >= from && answered < until) count += 1;
    most = Math.max(most, count);
  }
  return most;
}

/** Returns the time until a probe starts: at least 20 ms, so that all processes are ready. */
function untilStartMs({ beginsAtEdge }: { beginsAtEdge: boolean }): number {
  if (!beginsAtEdge) return 20;
  const untilEdgeMs = WINDOW_MS - (Date.now() % WINDOW_MS) + 5;
  return untilEdgeMs < 20 ? untilEdgeMs + WINDOW_MS : untilEdgeMs;
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

function describe(rows: readonly Row[]): string {
  return table(
    ['contender', ...probes.map(({ name }) => name), 'worst', 'while hammered'],
    rows.map(({ name, worst, hammered }) => {
      const most = Math.max(...worst);
      return [
        titleOf(name),
        ...worst.map(digits),
        most > 1 ? `**${digits(most)}**` : digits(most),
        digits(hammered),
      ];
    }),
  );
}
