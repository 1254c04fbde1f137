import { isInstalled } from '../contenders/contender';
import { type ContenderName, contenderOf, titleOf } from '../contenders/contenders';
import type { Figure, Lab } from '../harness/lab';
import { digits, table } from '../harness/report';
import { startWorker } from '../servers/worker-process';

const measured: readonly ContenderName[] = [
  ...(['log', 'counter', 'fixed', 'token', 'leaky'] as const),
  ...(['flexible', 'upstash', 'fourCommands', 'tutorialLua'] as const),
];
const HOUR_MS = 3_600_000;

/** The number of subjects and of hits for each. */
const fills = [
  { hits: 1, subjects: 500 },
  { hits: 100, subjects: 100 },
  { hits: 1_000, subjects: 20 },
];
const shares = { full: 1, smoke: 0.05 };

/** Bytes for a subject, by fill. */
interface Row {
  name: ContenderName;
  bytes: readonly number[];
}

export const memory: Figure = {
  name: 'memory',
  ownLoad: 2,
  async measure(lab) {
    const installed = measured.filter((name) => isInstalled(contenderOf(name)));
    const rows: Row[] = [];
    for (const name of lab.size === 'smoke' ? installed.slice(0, 2) : installed) {
      lab.note(name);
      rows.push({ name, bytes: await bytesOf(name, lab) });
    }
    return {
      text: describe(rows),
      goals: [],
    };
  },
};

async function bytesOf(name: ContenderName, lab: Lab): Promise<number[]> {
  const worker = await startWorker(lab, name);
  const found = [];
  for (const [gate, { hits, subjects: all }] of fills.entries()) {
    const subjects = Math.ceil(all * shares[lab.size]);
    await lab.empty();
    const levels = [{ limit: hits, windowMs: HOUR_MS }];
    await worker.call('open', { gate, redisUrl: lab.redisUrl, prefix: 'm:', levels });
    await worker.call('fill', { gate, subjects, hits });
    found.push((await lab.measureBytes()) / subjects);
  }
  await worker.stop();
  return found;
}

function describe(rows: readonly Row[]): string {
  return table(
    ['contender', ...fills.map(({ hits }) => (hits === 1 ? '1 hit' : `${digits(hits)} hits`))],
    rows.map(({ name, bytes }) => [titleOf(name), ...bytes.map((one) => `${digits(one)} B`)]),
  );
}
