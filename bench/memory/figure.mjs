import { isInstalled } from '../contenders/contender.mjs';
import { contenders } from '../contenders/contenders.mjs';
import { barPlot } from '../report/bars.mjs';
import { digits } from '../report/numbers.mjs';
import { spreadOf } from '../report/spread.mjs';
import { table } from '../report/table.mjs';
import { startWorker } from '../workers/start-worker.mjs';

/** @typedef {import('../contenders/contenders.mjs').ContenderName} ContenderName */

/** @type {readonly ContenderName[]} */
const measured = [
  'log',
  'counter',
  'fixed',
  'token',
  'leaky',
  'flexible',
  'upstash',
  'express',
  'fastify',
  'trpcLimiter',
  'fourCommands',
  'tutorialLua',
];
const HOUR_MS = 3_600_000;

/** The number of subjects and of hits for each. */
const fills = [
  { hits: 1, subjects: 500 },
  { hits: 100, subjects: 100 },
  { hits: 1_000, subjects: 20 },
];
/** @typedef {{ name: ContenderName, bytes: number[] }} Row  Bytes for a subject, by fill. */

const shares = { full: 1, quick: 0.5, smoke: 0.05 };

/** @type {import('../run/figure').Figure} */
export const memory = {
  name: 'memory',
  title: 'Bytes per subject',
  ownLoad: 2,
  async measure(lab) {
    const installed = measured.filter((name) => isInstalled(contenders[name]));
    const names = lab.size === 'smoke' ? installed.slice(0, 2) : installed;
    /** @type {Row[]} */
    const rows = [];
    for (const name of names) {
      lab.note(`memory, ${name}`);
      rows.push({ name, bytes: await bytesOf(name, lab) });
    }
    return {
      text: describe(rows),
      goals: [],
      plots: {
        'memory.svg': barPlot({
          title: 'Bytes of Redis for a subject with 100 hits in its window',
          bars: rows.map(({ name, bytes }) => ({
            label: contenders[name].name,
            value: spreadOf([bytes[1] ?? 0]),
            isOurs: contenders[name].isOurs,
          })),
        }),
      },
      data: rows,
    };
  },
};

/**
 * @param {ContenderName} name
 * @param {import('../run/figure').Lab} lab
 */
async function bytesOf(name, lab) {
  const worker = await startWorker(name);
  try {
    const found = [];
    for (const [gate, { hits, subjects: all }] of fills.entries()) {
      const subjects = Math.ceil(all * shares[lab.size]);
      await lab.empty();
      const levels = [{ limit: hits, windowMs: HOUR_MS }];
      await worker.open({ gate, redisUrl: lab.redisUrl, prefix: 'm:', levels });
      await worker.fill({ gate, subjects, hits });
      found.push((await lab.measureBytes()) / subjects);
    }
    return found;
  } finally {
    await worker.stop();
  }
}

/** @param {readonly Row[]} rows */
function describe(rows) {
  return `Memory of all keys of a subject as reported by Redis (\`MEMORY USAGE\`: value, key and its entry; each key also has an entry of
about 32 bytes in the table of expiries), with the given hits in a window of an hour. Prefixes have two letters, subjects are
\`s0\`, \`s1\`, …; Floodgate's keys contain a pseudonym of 22 characters instead. A log that is smaller than its hits has lost
some.

![Bytes of Redis for a subject with 100 hits](benchmarks/memory.svg)

${table(
  ['contender', ...fills.map(({ hits }) => (hits === 1 ? '1 hit' : `${digits(hits)} hits`))],
  rows.map(({ name, bytes }) => {
    const { name: title, isOurs } = contenders[name];
    return [isOurs ? `**${title}**` : title, ...bytes.map((one) => `${digits(one)} B`)];
  }),
)}`;
}
