import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { bundleServer } from '../../scripts/lib/bundle.mjs';
import { startPgliteService, startPostgresServer } from '../../scripts/lib/services/start-services.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { findPostgres } from '../../scripts/lib/tools.mjs';
import { digits, withSpread } from '../report/numbers.mjs';
import { spreadOf } from '../report/spread.mjs';
import { table } from '../report/table.mjs';
import { forkServer } from '../run/fork-server.mjs';

const bundle = 'dist/bench-ledger.js';
const efforts = {
  full: { rounds: 7, rows: 10_000, warmUp: 5_000 },
  quick: { rounds: 2, rows: 2_000, warmUp: 1_000 },
  smoke: { rounds: 1, rows: 100, warmUp: 10 },
};

/**
 * @typedef {import('../report/spread.mjs').Spread} Spread
 * @typedef {import('./ledger-server').Written} Written
 * @typedef {{ database: string, perSecond: Spread, nodeUs: Spread, databaseUs: Spread, redisUs: Spread }} Row
 */

/** @type {import('../run/figure').Figure} */
export const ledger = {
  name: 'ledger',
  title: 'The ledger',
  ownLoad: 2,
  async measure(lab) {
    await bundleServer({ entry: 'bench/ledger/ledger-server.ts', outfile: bundle });
    await lab.empty();
    const databases = await startDatabases(lab);
    const { rounds, rows: count, warmUp } = efforts[lab.size];
    /** @type {Map<string, Written[]>} */
    const taken = new Map(databases.map(({ name }) => [name, []]));
    for (const { write } of databases) await write(warmUp);
    for (let round = 0; round < rounds; round += 1) {
      for (const { name, write } of round % 2 === 0 ? databases : databases.toReversed()) {
        lab.note(`ledger, ${name}, round ${round + 1} of ${rounds}`);
        taken.get(name)?.push(await write(count));
      }
    }
    /** @type {Row[]} */
    const rows = [...taken].map(([database, written]) => ({
      database,
      perSecond: spreadOf(written.map(({ rows: one, tookMs }) => (one / tookMs) * 1000)),
      nodeUs: spreadOf(written.map(({ rows: one, cpuUs }) => cpuUs.node / one)),
      databaseUs: spreadOf(written.map(({ rows: one, cpuUs }) => (cpuUs.database ?? Number.NaN) / one)),
      redisUs: spreadOf(written.map(({ rows: one, cpuUs }) => cpuUs.redis / one)),
    }));
    const postgres = rows.find(({ database }) => database === 'Postgres');
    return {
      text: describe(rows, efforts[lab.size]),
      goals: postgres
        ? [{ what: 'ledger on Postgres, rows/s', bound: { min: 30_000 }, reached: postgres.perSecond }]
        : [],
      plots: {},
      data: rows,
    };
  },
};

/** @param {import('../run/figure').Lab} lab */
async function startDatabases(lab) {
  const found = [];
  const hasPostgres = findPostgres() !== undefined;
  // The smoke test skips PGlite: its first start is the slowest step, and other tests cover the ledger on it.
  if (lab.size !== 'smoke' || !hasPostgres) {
    const pglite = await startPgliteService({ dir: path.join(lab.folder, 'pglite') });
    lab.onEnd(pglite.stop);
    found.push({ name: 'PGlite', write: await startWriter(lab, pglite, 'pglite') });
  }
  if (hasPostgres) {
    // As root, the server runs as a separate user, so its folder is outside the folder of the run.
    const folder = `${lab.folder}-postgres`;
    await mkdir(folder, { mode: 0o755 });
    lab.onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    const postgres = await startPostgresServer({ dir: path.join(folder, 'data'), flushes: true });
    lab.onEnd(postgres.stop);
    found.push({ name: 'Postgres', write: await startWriter(lab, postgres, 'postgres') });
  } else console.log('  no Postgres server is installed, left out');
  return found;
}

/**
 * @param {import('../run/figure').Lab} lab
 * @param {import('../../scripts/lib/services/spawn-service.mjs').Service} database
 * @param {'pglite' | 'postgres'} kind
 */
async function startWriter(lab, { url, pid }, kind) {
  const { send, stop } = await forkServer(bundle, [lab.redisUrl, url, kind, String(pid)], {
    waitMs: 120_000,
  });
  lab.onEnd(stop);
  /** @param {number} count */
  return async (count) => {
    const written = await send(count);
    if (written.error) throw new StepError(`The ledger on ${kind}: ${written.error}`);
    if (written.rows !== count) throw new StepError(`The ledger wrote ${written.rows} of ${count} orders.`);
    return /** @type {Written} */ (written);
  };
}

/**
 * @param {readonly Row[]} rows
 * @param {{ rounds: number, rows: number }} effort
 */
function describe(rows, { rounds, rows: count }) {
  return `In each of ${rounds} rounds, both databases write ${count} orders of one coupon from its outbox: read from Redis in batches of 1 000, one
transaction per batch (row lock, constraints, one order per shopper), published, acked and deleted. While one batch is in the
database, another is read, published or acked. Everything runs on loopback and on the same cores, Postgres with its default
settings: a commit waits for the disk. With two cores, a row takes at least half of the CPU time that the three processes need
for it, and at least the CPU time of the database.

${table(
  ['database', 'rows/s', 'CPU for a row: the node, µs', 'the database, µs', 'Redis, µs'],
  rows.map(({ database, perSecond, nodeUs, databaseUs, redisUs }) => [
    database,
    withSpread(perSecond),
    ...[nodeUs, databaseUs, redisUs].map(({ median }) => digits(median)),
  ]),
)}`;
}
