import { isInstalled } from '../contenders/contender.mjs';
import { contenders } from '../contenders/contenders.mjs';
import { digits } from '../report/numbers.mjs';
import { table } from '../report/table.mjs';
import { startWorker } from '../workers/start-worker.mjs';
import { maxWithin } from './certain-excess.mjs';
import { CLOCK_AHEAD_MS, probes } from './probes.mjs';

/**
 * @typedef {import('../contenders/contenders.mjs').ContenderName} ContenderName
 * @typedef {Awaited<ReturnType<typeof startWorker>>} Worker
 */

/** @type {readonly ContenderName[]} */
const probed = [
  'together',
  'counter',
  'fixed',
  'token',
  'flexible',
  'upstash',
  'express',
  'fastify',
  'trpcLimiter',
  'fourCommands',
  'tutorialLua',
];
const LIMIT = 100;
/** A whole second: the minimum of one contender. */
const WINDOW_MS = 1_000;
const repeats = { full: 3, quick: 1, smoke: 1 };
/** Concurrent contenders. They mostly wait. */
const atOnce = { full: 3, quick: 6, smoke: 2 };

/** @typedef {{ name: ContenderName, worst: number[], hammered: number }} Row  `worst` by probe, as parts of the limit. */

/** @type {import('../run/figure').Figure} */
export const exactness = {
  name: 'exactness',
  title: 'Exactness',
  ownLoad: 2,
  async measure(lab) {
    await lab.empty();
    const names = probed.filter((name) => isInstalled(contenders[name]));
    const rows = await probeAll(lab.size === 'smoke' ? names.slice(0, 1) : names, lab);
    const own = rows.filter(({ name }) => name === 'together' || name === 'counter');
    return {
      text: describe(rows, repeats[lab.size]),
      goals: own.map(({ name, worst }) => {
        const most = Math.max(...worst);
        return {
          what: `worst window ÷ limit, ${contenders[name].name}`,
          bound: { max: 1 },
          reached: { median: most, low: most, high: most },
        };
      }),
      plots: {},
      data: rows,
    };
  },
};

/**
 * @param {readonly ContenderName[]} names
 * @param {import('../run/figure').Lab} lab
 */
async function probeAll(names, lab) {
  /** @type {Map<ContenderName, Row>} */
  const rows = new Map();
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) rows.set(name, await probe(name, lab));
  };
  await Promise.all(Array.from({ length: atOnce[lab.size] }, work));
  return names.flatMap((name) => rows.get(name) ?? []);
}

/**
 * @param {ContenderName} name
 * @param {import('../run/figure').Lab} lab
 * @returns {Promise<Row>}
 */
async function probe(name, lab) {
  const workers = [
    await startWorker(name),
    await startWorker(name),
    await startWorker(name, { clockOffsetMs: CLOCK_AHEAD_MS }),
  ];
  let gate = 0;
  /**
   * @param {readonly Worker[]} processes
   * @param {string} prefix
   */
  const open = async (processes, prefix) => {
    gate += 1;
    const levels = [{ limit: LIMIT, windowMs: WINDOW_MS }];
    for (const worker of processes) await worker.open({ gate, redisUrl: lab.redisUrl, prefix, levels });
  };
  const processesOf = {
    'one process': workers.slice(0, 1),
    'two processes': workers.slice(0, 2),
    'two clocks': [workers[0], workers[2]].filter((worker) => worker !== undefined),
  };
  try {
    // The first calls of a process are not its fastest.
    await open(workers, `${name}:warm:`);
    for (const worker of workers)
      await worker.bursts({ gate, startUs: nowUs(), bursts: [{ atMs: 0, calls: 4 * LIMIT }] });

    /** @type {number[]} */
    const worst = [];
    let hammered = 0;
    for (const { name: called, by, beginsAtEdge, bursts } of probes) {
      let most = 0;
      for (let time = 0; time < repeats[lab.size]; time += 1) {
        lab.note(`exactness, ${name}, ${called}`);
        const processes = processesOf[by];
        await open(processes, `${name}:${called}:${time}:`);
        const untilEdgeMs = beginsAtEdge ? WINDOW_MS - (Date.now() % WINDOW_MS) + 5 : 20;
        const startUs =
          nowUs() + Math.ceil((untilEdgeMs < 20 ? untilEdgeMs + WINDOW_MS : untilEdgeMs) * 1000);
        const played = await Promise.all(
          bursts(LIMIT, WINDOW_MS).map((own, index) =>
            processes[index]?.bursts({ gate, startUs, bursts: own }),
          ),
        );
        const admitted = played.flatMap((spans) => spans ?? []);
        most = Math.max(most, maxWithin(admitted, WINDOW_MS));
        if (called === 'hammer')
          hammered +=
            admitted.filter(([sentAt]) => sentAt >= 2 * WINDOW_MS).length / (2 * LIMIT) / repeats[lab.size];
      }
      worst.push(most / LIMIT);
    }
    return { name, worst, hammered };
  } finally {
    for (const worker of workers) await worker.stop();
  }
}

function nowUs() {
  return Number(process.hrtime.bigint() / 1000n);
}

/**
 * @param {readonly Row[]} rows
 * @param {number} times
 */
function describe(rows, times) {
  return `A limit of ${LIMIT} in ${WINDOW_MS} ms under arrivals that break limiters, ${times} times each. The worst window is the largest number of calls
that were certainly admitted within less than one window, by the times of call and reply; doubtful cases count in favour of
the limiter. 1.00 is the limit. *While hammered*: admitted calls in the third and fourth window of *hammer*, as a share of two
limits; a limiter that counts refused calls admits none.

${probes.map(({ name, about }) => `- *${name}*: ${about}.`).join('\n')}

${table(
  ['contender', ...probes.map(({ name }) => name), 'worst', 'while hammered'],
  rows.map(({ name, worst, hammered }) => {
    const { name: title, isOurs } = contenders[name];
    return [
      isOurs ? `**${title}**` : title,
      ...worst.map(digits),
      Math.max(...worst) > 1 ? `**${digits(Math.max(...worst))}**` : digits(Math.max(...worst)),
      digits(hammered),
    ];
  }),
)}

Lost replies, keys of other types, moved slots and killed servers are tested, not measured:
\`server/limiter/*.integration.test.ts\`.`;
}
